import { Controller, Get } from '@nestjs/common';
import { ApprovalQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { type ApprovalResource, ListApprovalsQuery } from './approval.dto.js';
import { approvalList } from './approval-lists.js';
import { APPROVAL_OPERATIONS } from './approval.operations.js';

/** The inbox: approvals of all runs. */
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalQueries,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('approvals:read')
  @APPROVAL_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListApprovalsQuery,
  ): Promise<PagedList<ApprovalResource>> {
    return this.pages.answer(query, approvalList(this.approvals, workspaceId, query));
  }
}
