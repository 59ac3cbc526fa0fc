import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { ApprovalDecisionsService, ApprovalQueriesService, presentApproval } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { tagged } from '../http/answers.js';
import { anyOrder, ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, IfMatch, JsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ApprovalResource, DecideBody, ListApprovalsQuery } from './approvals.api.js';

@Tag('Approvals')
@Controller('v1')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly decisions: ApprovalDecisionsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get('approvals')
  @RequireScopes('approvals:read')
  @Operation('List approvals', {
    description: 'Lists the approvals of all runs. With `status=open`, lists those that wait for a person.',
    200: { description: 'One page of approvals.', page: ApprovalResource },
  })
  listApprovals(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListApprovalsQuery,
  ): Promise<PagedList<ApprovalResource>> {
    const { status: statuses } = query;
    return this.pages.answer(query, {
      list: 'approvals',
      workspaceId,
      filters: { status: anyOrder(statuses) },
      read: (page) => this.approvals.list(workspaceId, { ...(statuses && { statuses }) }, page),
      present: presentApproval,
    });
  }

  @Get('runs/:id/approvals')
  @RequireScopes('approvals:read')
  @Operation('List the approvals of a run', {
    description: 'Lists the approvals of one run.',
    200: { description: 'One page of approvals.', page: ApprovalResource },
  })
  listRunApprovals(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ApprovalResource>> {
    const read = this.approvals.listOfRun.bind(this.approvals, workspaceId, runId);
    return this.pages.answer(query, { list: `runs/${runId}/approvals`, workspaceId, read, present: presentApproval });
  }

  @Get('runs/:id/approvals/:approval_id')
  @RequireScopes('approvals:read')
  @Operation('Get an approval', {
    description:
      'Returns the approval. Send its `ETag` as `If-Match` with the decision, so that it counts for the request that was read.',
    200: { description: 'The approval.', type: ApprovalResource, headers: { ETag: 'Value of `request_revision`.' } },
  })
  async getRunApproval(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApprovalResource> {
    const approval = await this.approvals.get(workspaceId, runId, approvalId);
    return tagged(response, approval.requestRevision, presentApproval(approval));
  }

  @Post('runs/:id/approvals/:approval_id')
  @RequireScopes('approvals:decide')
  @Operation('Decide an approval', {
    description:
      'Records the decision of the calling member, who must be in one of the `approvers` groups. `required` different people must ' +
      'approve; the first rejection closes the approval. The stored `request` is then executed exactly as it is. The same decision ' +
      'of the same person again changes nothing. With `If-Match`, the decision counts only if the request was not edited since it ' +
      'was read. While the workspace is stopped, only `reject` and `mark_failed` are accepted.',
    200: { description: 'The approval after the decision.', type: ApprovalResource },
    problems: [
      'not_an_approver',
      'self_approval_forbidden',
      'approval_already_decided',
      'workspace_stopped',
      'input_invalid',
    ],
  })
  async decideRunApproval(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @JsonBody() { decision, comment, request }: DecideBody,
    @IfMatch(
      '`request_revision` that was read, in quotes. If the request was edited since, the call is refused with 412.',
      '"1"',
    )
    expected: ExpectedVersions,
  ): Promise<ApprovalResource> {
    const wanted = { principal, runId, approvalId, decision, comment, request, expected };
    return presentApproval(await this.decisions.decide(wanted));
  }
}
