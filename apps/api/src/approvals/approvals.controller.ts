import { Controller, Get, Headers, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { ApprovalDecisionsService, ApprovalQueriesService, type DecidableApproval, presentApproval } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { tagged } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, IfMatch, JsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { APPROVED_EXAMPLE } from '../openapi/schema-examples.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  approvalQuestion,
  ApprovalResource,
  channelOf,
  cursorFilters,
  DECIDE_EXAMPLES,
  DecideBody,
  ListApprovalsQuery,
} from './approvals.api.js';

const ONE_APPROVAL = {
  description:
    'Returns the approval. Send its `ETag` as `If-Match` with the decision, so that the decision counts only for the request that you have read.',
  200: { description: 'The approval.', type: ApprovalResource, headers: { ETag: 'Value of `request_revision`.' } },
};

@Tag('Approvals')
@Controller('v1')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly decisions: ApprovalDecisionsService,
    private readonly pages: ListPagesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Get('approvals')
  @RequireScopes('approvals:read')
  @Operation('List approvals', {
    description: 'Lists the approvals of all runs. With `mine=true`, lists those that wait for the caller.',
    200: { description: 'One page of approvals.', page: ApprovalResource },
  })
  listApprovals(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: ListApprovalsQuery,
  ): Promise<PagedList<ApprovalResource>> {
    return this.pages.answer(query, {
      list: 'approvals',
      workspaceId: principal.workspaceId,
      filters: cursorFilters(query, principal),
      read: (page) => this.approvals.list(principal, approvalQuestion(query), page),
      present: (approval) => this.shown(approval),
    });
  }

  @Get('approvals/:id')
  @RequireScopes('approvals:read')
  @Operation('Get an approval by its id', {
    ...ONE_APPROVAL,
  })
  async getApproval(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'approval') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApprovalResource> {
    const approval = await this.approvals.getFor(principal, id);
    return tagged(response, approval.requestRevision, this.shown(approval));
  }

  @Get('runs/:id/approvals')
  @RequireScopes('approvals:read')
  @Operation('List the approvals of a run', {
    description: 'Lists the approvals of one run, whatever their status is.',
    200: { description: 'One page of approvals.', page: ApprovalResource },
  })
  listRunApprovals(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ApprovalResource>> {
    return this.pages.answer(query, {
      list: `runs/${runId}/approvals`,
      workspaceId: principal.workspaceId,
      read: (page) => this.approvals.listOfRun(principal, runId, page),
      present: (approval) => this.shown(approval),
    });
  }

  @Get('runs/:id/approvals/:approval_id')
  @RequireScopes('approvals:read')
  @Operation('Get an approval of a run', {
    ...ONE_APPROVAL,
  })
  async getRunApproval(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApprovalResource> {
    const approval = await this.approvals.getFor(principal, approvalId, runId);
    return tagged(response, approval.requestRevision, this.shown(approval));
  }

  @Post('runs/:id/approvals/:approval_id')
  @RequireScopes('approvals:decide')
  @Operation('Decide an approval', {
    description:
      'Records the decision of the calling member, who must be in one of the `approvers` groups (an admin, if there are none). When ' +
      '`required` different people have approved, the stored `request` is executed exactly as it is. `edit` ' +
      'replaces the stored request, removes the earlier decisions and counts as the approval of the caller. ' +
      'The first `reject` closes the approval, and the call is not made. The person who started the run cannot ' +
      'decide (403 `self_approval_forbidden`), unless the approval rule has `self_approval: true`. A test key decides ' +
      'about runs in mode `test` only, and a key with `automation: true` about none. The first ' +
      '`answer` closes a question; the person who started the run may give it. If the same person sends the ' +
      'same decision again, nothing changes. While the workspace is stopped, only `reject` and `mark_failed` ' +
      'are accepted (else 409 `workspace_stopped`).',
    200: { description: 'The approval after the decision.', type: ApprovalResource, example: APPROVED_EXAMPLE },
    problems: [
      'automation_key',
      'not_an_approver',
      'self_approval_forbidden',
      'test_key_production_mode',
      'approval_already_decided',
      'workspace_stopped',
      'input_invalid',
    ],
  })
  async decideRunApproval(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @JsonBody(DECIDE_EXAMPLES) { decision, comment, request, answer }: DecideBody,
    @IfMatch(
      '`request_revision` of the request that you have read, in quotes. If the request was edited since then, the call is rejected with 412.',
      '"1"',
    )
    expected: ExpectedVersions,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<ApprovalResource> {
    const via = channelOf(principal, userAgent);
    const wanted = { principal, runId, approvalId, decision, comment, request, answer, expected, via };
    return this.shown(await this.decisions.decide(wanted));
  }

  private shown(approval: DecidableApproval): ApprovalResource {
    return presentApproval(approval, this.address.consoleUrl);
  }
}
