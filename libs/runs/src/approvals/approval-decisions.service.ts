import { DomainError, type ExpectedVersions, type JsonObject, notFound } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { Groups, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { ApprovalEditsService } from './approval-edits.service.js';
import { ApprovalStore, type DecisionVerdict } from './approval.store.js';
import { ApprovalQueriesService } from '../read/approval-queries.service.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision } from '../records/approval-status.js';
import { executeRun } from '../store/run.jobs.js';

export interface Decide {
  runId: string;
  approvalId: string;
  principal: Principal;
  decision: ApprovalDecision;
  comment?: string | undefined;
  /** New arguments, only for `edit`. */
  request?: JsonObject | undefined;
  /** Revisions of the request that the person has seen; undefined: any. */
  expected?: ExpectedVersions;
}

/**
 * Decisions of people about approvals. If several people decide concurrently, one decision closes the approval and the
 * others get an error with that decision.
 */
@Injectable()
export class ApprovalDecisionsService {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly edits: ApprovalEditsService,
    private readonly groups: Groups,
    private readonly store: ApprovalStore,
    private readonly queue: JobQueueService,
  ) {}

  /**
   * Records the decision. If it completes the approval, the run continues or ends. Repeating the same decision changes
   * nothing and is no error.
   * @returns the approval after the decision
   * @throws DomainError `not_found`, `invalid_request`, `input_invalid` (an edit), `not_an_approver`,
   *   `self_approval_forbidden`, `approval_already_decided`, `workspace_stopped`,
   *   `precondition_failed` (the request has another revision than those expected)
   */
  async decide(request: Decide): Promise<ApprovalEntity> {
    const { runId, approvalId, principal, decision, comment = null } = request;
    const { workspaceId, memberId, email, role } = principal;
    const address = { workspaceId, runId, approvalId };
    const approval = await this.approvals.get(workspaceId, runId, approvalId);
    const decider = { email, groups: await this.groups.ofMember(workspaceId, memberId), isAdmin: role === 'admin' };
    const edited = await this.edits.checked(approval, decider, request);
    const entry = { decision, comment, edited, expected: request.expected };
    const verdict = await this.store.decide(address, decider, entry);
    // Also for a closed approval: the process that closed it may have died before it enqueued the job.
    if (verdict === 'decided' || verdict === 'closed') this.queue.enqueue(executeRun, { runId });
    const after = await this.approvals.get(workspaceId, runId, approvalId);
    refuseUnlessRecorded(verdict, after);
    return after;
  }
}

function refuseUnlessRecorded(verdict: DecisionVerdict, approval: ApprovalEntity): void {
  switch (verdict) {
    case 'decided':
    case 'recorded':
    case 'repeated':
      return;
    case 'closed':
      throw alreadyDecided(approval);
    case 'stopped':
      throw new DomainError(
        'workspace_stopped',
        'The workspace is stopped: until an admin resumes it, an approval can only be rejected, and a call in doubt only be marked as failed.',
      );
    case 'not_found':
      throw notFound('approval', approval.id);
    case 'not_an_approver':
      throw new DomainError('not_an_approver', `Only ${approversOf(approval)} can decide this.`, {
        extensions: { approvers: approval.approvers },
      });
    case 'self_approval':
      throw new DomainError(
        'self_approval_forbidden',
        'You started this run, so another person has to decide about it.',
      );
    case 'not_allowed':
      throw notAllowed(approval);
    case 'changed':
      throw new DomainError('precondition_failed', 'The request was edited since you read it. Read it again.', {
        extensions: { request_revision: approval.requestRevision },
      });
  }
}

function alreadyDecided({ status, decisions, decidedAt }: ApprovalEntity): DomainError {
  const last = decisions.at(-1);
  const who = last && (status === 'approved' || status === 'rejected') ? `: ${last.by} said ${last.decision}` : '';
  return new DomainError('approval_already_decided', `The approval is ${status}${who}.`, {
    extensions: { approval_status: status, decisions, decided_at: decidedAt?.toISOString() ?? null },
  });
}

function notAllowed({ kind, allowedDecisions }: ApprovalEntity): DomainError {
  const detail = `An approval of the kind ${kind} takes one of ${allowedDecisions.join(', ')}.`;
  return new DomainError('invalid_request', detail, {
    errors: [{ pointer: '/decision', detail }],
    extensions: { allowed_decisions: allowedDecisions },
  });
}

function approversOf({ approvers }: ApprovalEntity): string {
  return approvers.length === 0 ? 'admins of the workspace' : `members of ${approvers.join(', ')}`;
}
