import type { Approval, ApprovalQueries } from '@app/runs';
import type { ListSource } from '../http/list-pages.js';
import type { ApprovalResource, ListApprovalsQuery } from './approval.dto.js';
import { presentApproval } from './approval.presenter.js';

/** The list of approvals that the query asks for. */
export function approvalList(
  approvals: ApprovalQueries,
  workspaceId: string,
  { status }: ListApprovalsQuery,
): ListSource<Approval, ApprovalResource> {
  return {
    list: 'approvals',
    workspaceId,
    filters: { status: status ? [...new Set(status)].sort() : null },
    read: (page) => approvals.list(workspaceId, { ...(status && { statuses: status }) }, page),
    present: presentApproval,
  };
}

/** The approvals of one run. */
export function runApprovalList(
  approvals: ApprovalQueries,
  workspaceId: string,
  runId: string,
): ListSource<Approval, ApprovalResource> {
  return {
    list: `runs/${runId}/approvals`,
    workspaceId,
    read: (page) => approvals.listOfRun(workspaceId, runId, page),
    present: presentApproval,
  };
}
