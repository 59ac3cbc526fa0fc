import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { ApprovalDecisions, ApprovalQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { IfMatch, tagged } from '../http/entity-tag.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import { CurrentPrincipal, JsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { type ApprovalResource, DecideBody } from './approval.dto.js';
import { runApprovalList } from './approval-lists.js';
import { APPROVAL_OPERATIONS } from './approval.operations.js';
import { presentApproval } from './approval.presenter.js';
import { decisionOf } from './decision-request.js';

@Controller('v1/runs/:id/approvals')
export class RunApprovalsController {
  constructor(
    private readonly approvals: ApprovalQueries,
    private readonly decisions: ApprovalDecisions,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('approvals:read')
  @APPROVAL_OPERATIONS.listOfRun
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ApprovalResource>> {
    return this.pages.answer(query, runApprovalList(this.approvals, workspaceId, runId));
  }

  @Get(':approval_id')
  @RequireScopes('approvals:read')
  @APPROVAL_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApprovalResource> {
    const approval = await this.approvals.get(workspaceId, runId, approvalId);
    return tagged(response, approval.requestRevision, presentApproval(approval));
  }

  @Post(':approval_id')
  @RequireScopes('approvals:decide')
  @APPROVAL_OPERATIONS.decide
  async decide(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @PathId('approval_id', 'approval') approvalId: string,
    @JsonBody() body: DecideBody,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ApprovalResource> {
    return presentApproval(await this.decisions.decide(decisionOf(principal, runId, approvalId, body, expected)));
  }
}
