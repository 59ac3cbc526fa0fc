import type { ExpectedVersions } from '@app/kernel';
import type { Decide } from '@app/runs';
import type { Principal } from '@app/workspace';
import type { DecideBody } from './approval.dto.js';

/** What `POST /v1/runs/{id}/approvals/{approval_id}` asks of whoever records decisions. */
export function decisionOf(
  principal: Principal,
  runId: string,
  approvalId: string,
  { decision, comment, request }: DecideBody,
  expected: ExpectedVersions,
): Decide {
  return { principal, runId, approvalId, decision, comment, request, expected };
}
