import { CompiledVersions } from '@app/agents';
import { DomainError, type JsonObject, notFound } from '@app/kernel';
import { JobQueue } from '@app/platform/queue';
import { Groups, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { ApprovalJournal, type Decider, type DecisionEntry, type DecisionVerdict } from './approval-journal.js';
import { ApprovalQueries } from './approval-queries.service.js';
import type { Approval } from './approval.entity.js';
import type { ApprovalDecision } from './approval-status.js';
import { editedRequest } from './edited-request.js';
import type { Run } from './run.entity.js';
import { executeRun } from './run.jobs.js';
import { RunQueries } from './run-queries.service.js';

export interface Decide {
  runId: string;
  approvalId: string;
  principal: Principal;
  decision: ApprovalDecision;
  comment?: string | undefined;
  /** The arguments that replace the stored ones; for `edit` and for nothing else. */
  request?: JsonObject | undefined;
}

/** Decisions of people about approvals. Of several at the same time one closes an approval; the others are told which. */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly approvals: ApprovalQueries,
    private readonly runs: RunQueries,
    private readonly versions: CompiledVersions,
    private readonly groups: Groups,
    private readonly journal: ApprovalJournal,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Records the decision and, when it completes the approval, lets the run go on or ends it. Saying the same again changes
   * nothing and is no error.
   * @returns the approval after the decision
   * @throws DomainError `not_found`, `invalid_request`, `input_invalid` (an edit), `not_an_approver`,
   *   `self_approval_forbidden`, `approval_already_decided`, `workspace_stopped`
   */
  async decide(request: Decide): Promise<Approval> {
    const { runId, approvalId, principal, decision, comment = null } = request;
    const { workspaceId, memberId, email, role } = principal;
    const address = { workspaceId, runId, approvalId };
    const approval = await this.approvals.get(workspaceId, runId, approvalId);
    const decider = { email, groups: await this.groups.ofMember(workspaceId, memberId), isAdmin: role === 'admin' };
    const entry = { decision, comment, edited: await this.edited(approval, decider, request) };
    const verdict = await this.journal.decide(address, decider, entry);
    // Also where it was closed before: whoever closed it may not have come to ringing.
    if (verdict === 'decided' || verdict === 'closed') this.queue.ring(executeRun, { runId });
    const after = await this.approvals.get(workspaceId, runId, approvalId);
    refuseUnlessRecorded(verdict, after);
    return after;
  }

  private async edited(
    approval: Approval,
    decider: Decider,
    { decision, request }: Decide,
  ): Promise<DecisionEntry['edited']> {
    if (decision !== 'edit') {
      if (request === undefined) return null;
      throw misplaced(`\`request\` belongs to the decision edit, not to ${decision}.`);
    }
    if (request === undefined) throw misplaced('An edit needs the whole new `request`.');
    const run = await this.runs.get(approval.workspaceId, approval.runId);
    // Whoever may not edit at all is told that, and not what is wrong with the edit. The journal finds the reason.
    if (!mayEdit(approval, decider, run)) return { request, show: null };
    const definition = await this.versions.get(run.workspaceId, run.agentId, run.version);
    return editedRequest(definition, run, approval, request);
  }
}

function mayEdit(approval: Approval, { email, groups, isAdmin }: Decider, { initiator }: Run): boolean {
  const { approvers, status, allowedDecisions, selfApproval } = approval;
  const isApprover = approvers.length === 0 ? isAdmin : approvers.some((name) => groups.includes(name));
  return status === 'open' && allowedDecisions.includes('edit') && isApprover && (selfApproval || initiator !== email);
}

function refuseUnlessRecorded(verdict: DecisionVerdict, approval: Approval): void {
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
        'The workspace is stopped: until an admin resumes it, an approval can only be rejected.',
      );
    case 'not_found':
      throw notFound('approval', approval.id);
    case 'not_an_approver':
      throw new DomainError('not_an_approver', `Only ${approversOf(approval)} can decide this.`, {
        extensions: { approvers: approval.approvers },
      });
    case 'self_approval':
      throw new DomainError('self_approval_forbidden', 'You started this run: somebody else has to decide.');
    case 'not_allowed':
      throw notAllowed(approval);
  }
}

function alreadyDecided({ status, decisions, decidedAt }: Approval): DomainError {
  const last = decisions.at(-1);
  const who = last && (status === 'approved' || status === 'rejected') ? `: ${last.by} said ${last.decision}` : '';
  return new DomainError('approval_already_decided', `The approval is ${status}${who}.`, {
    extensions: { approval_status: status, decisions, decided_at: decidedAt?.toISOString() ?? null },
  });
}

function notAllowed({ kind, allowedDecisions }: Approval): DomainError {
  const detail = `An approval of the kind ${kind} takes one of ${allowedDecisions.join(', ')}.`;
  return new DomainError('invalid_request', detail, {
    errors: [{ pointer: '/decision', detail }],
    extensions: { allowed_decisions: allowedDecisions },
  });
}

function approversOf({ approvers }: Approval): string {
  return approvers.length === 0 ? 'admins of the workspace' : `members of ${approvers.join(', ')}`;
}

function misplaced(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer: '/request', detail }] });
}
