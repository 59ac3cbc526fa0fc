import { CompiledVersionsService } from '@app/agents';
import { DomainError, type ExpectedVersions, type JsonObject, type JsonValue, notFound } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { assertLive, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { ApprovalStore, type DecisionEntry, type DecisionVerdict } from './approval.store.js';
import { ApprovalQueriesService, type DecidableApproval } from '../read/approval-queries.service.js';
import { presentDecision } from '../read/approval.view.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision, Decider, DecisionChannel } from '../records/approval-status.js';
import { recordedPlan } from '../records/recorded-plan.js';
import type { RunEntity } from '../records/run.entity.js';
import { learnRecorded, outputPlaces, requestPlaces } from '../privacy/private-run-store.js';
import { restoredObject } from '../privacy/sealed-value.js';
import { openedRun, openedStep, RunPrivaciesService } from '../privacy/run-privacies.service.js';
import { RunQueriesService } from '../read/run-queries.service.js';
import { checkedAnswer, editedRequest } from './decision-input.js';
import { executeRun } from '../store/run.jobs.js';

export interface Decide {
  runId: string;
  approvalId: string;
  principal: Principal;
  decision: ApprovalDecision;
  comment?: string | undefined;
  request?: JsonObject | undefined;
  answer?: JsonValue | undefined;
  /**
   * If the current revision is none of them, the decision is rejected. If undefined, the decision applies to any
   * revision.
   */
  expected?: ExpectedVersions;
  via: DecisionChannel;
}

/**
 * If several people decide at the same time, only one decision closes the approval. The other people get an error that
 * contains the closed approval.
 */
@Injectable()
export class ApprovalDecisionsService {
  constructor(
    private readonly approvals: ApprovalQueriesService,
    private readonly store: ApprovalStore,
    private readonly queue: JobQueueService,
    private readonly runs: RunQueriesService,
    private readonly versions: CompiledVersionsService,
    private readonly privacies: RunPrivaciesService,
  ) {}

  /**
   * If it completes the approval, the run continues or ends. Repeating the same decision changes nothing and is not an
   * error.
   * @throws DomainError `not_found`, `invalid_request`, `input_invalid` (an edit or an answer), `not_an_approver`,
   * `self_approval_forbidden`, `approval_already_decided`, `workspace_stopped`, `test_key_production_mode`,
   * `automation_key`, `precondition_failed` (the request has none of the expected revisions)
   */
  async decide(request: Decide): Promise<DecidableApproval> {
    const { runId, approvalId, principal, decision, comment = null, via } = request;
    const { workspaceId } = principal;
    const address = { workspaceId, runId, approvalId };
    const approval = await this.approvals.get(workspaceId, runId, approvalId);
    const decider = await this.approvals.deciderOf(principal);
    assertPerson(decider);
    await this.assertMode(approval, principal, decider);
    const edited = await this.checkedEdit(approval, decider, request);
    const answer = await this.checkedAnswer(approval, decider, request);
    const entry = { decision, comment, edited, answer, expected: request.expected, via };
    const verdict = await this.store.decide(address, decider, entry);
    // A job is enqueued even if another process closed the approval earlier. That process may have died before it
    // enqueued a job.
    if (verdict === 'decided' || verdict === 'closed') this.queue.enqueue(executeRun, { runId });
    const after = await this.approvals.get(workspaceId, runId, approvalId);
    refuseUnlessRecorded(verdict, after);
    return this.approvals.decidable(workspaceId, after, decider);
  }

  /** This decides nothing. */
  async keepAskedRevision({ workspaceId, runId, id: approvalId, requestRevision }: ApprovalEntity): Promise<void> {
    await this.store.keepAskedRevision({ workspaceId, runId, approvalId }, requestRevision);
  }

  /** @throws DomainError `test_key_production_mode` */
  private async assertMode(approval: ApprovalEntity, principal: Principal, decider: Decider): Promise<void> {
    if (!decider.isTest) return;
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider);
    if (refusals.get(approval.id) === 'test_key_production_mode')
      assertLive(principal, 'A test key can decide about runs in mode `test` only.');
  }

  /**
   * Returns it with the values that approvers see, or null if the decision is not an edit. A redacted value that the
   * approver does not change keeps its original value.
   */
  private async checkedEdit(
    approval: ApprovalEntity,
    decider: Decider,
    { decision, request }: { decision: ApprovalDecision; request?: JsonObject | undefined },
  ): Promise<DecisionEntry['edited']> {
    if (decision !== 'edit') {
      if (request === undefined) return null;
      throw misplaced('request', `\`request\` is allowed only with the decision \`edit\`, not with \`${decision}\`.`);
    }
    if (request === undefined)
      throw misplaced('request', 'The decision `edit` requires the field `request` with the complete new request.');
    // The edit is then not checked here, and the store returns the reason for refusing the decision.
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider, 'edit');
    if (refusals.get(approval.id)) return { request, show: null };
    const run = await this.runs.get(approval.workspaceId, approval.runId);
    return this.judgedEdit(approval, run, request);
  }

  /**
   * Fields that the person left out get the defaults of the question's form. Returns null if the decision is not an
   * answer, or if the store will refuse the decision.
   */
  private async checkedAnswer(
    approval: ApprovalEntity,
    decider: Decider,
    { decision, answer }: Pick<Decide, 'decision' | 'answer'>,
  ): Promise<JsonObject | null> {
    if (decision !== 'answer') {
      if (answer === undefined || answer === null) return null;
      throw misplaced('answer', `\`answer\` is allowed only with the decision \`answer\`, not with \`${decision}\`.`);
    }
    if (answer === undefined || answer === null)
      throw misplaced('answer', 'The decision `answer` requires the field `answer` with the answer to the question.');
    // The store then returns the reason for refusing the decision.
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider, 'answer');
    if (refusals.get(approval.id) || !approval.form) return null;
    return this.sealedAnswer(approval, checkedAnswer(approval.form, answer));
  }

  private async sealedAnswer({ workspaceId, runId, tool }: ApprovalEntity, answer: JsonObject): Promise<JsonObject> {
    const { run, steps } = await this.runs.trace(workspaceId, runId);
    const definition = await this.versions.get(workspaceId, run.agentId, run.version);
    const privacy = this.privacies.ofRun(run, definition);
    if (privacy.redactsNothing) return answer;
    const { input, trigger } = openedRun(run, privacy);
    learnRecorded(privacy, { input, trigger, steps: steps.map((step) => openedStep(step, privacy)) });
    return privacy.sealedObject(answer, ...outputPlaces(tool ?? '', null));
  }

  private async judgedEdit(
    approval: ApprovalEntity,
    run: RunEntity,
    request: JsonObject,
  ): Promise<DecisionEntry['edited']> {
    const definition = await this.versions.get(run.workspaceId, run.agentId, run.version);
    const privacy = this.privacies.ofRun(run, definition);
    const opened = openedRun(run, privacy);
    const complete = privacy.openedObject(restoredObject(request, approval.request));
    const { steps: trace } = await this.runs.trace(run.workspaceId, run.id);
    const inTheOpen = trace.map((step) => openedStep(step, privacy));
    const steps = (await recordedPlan(definition, opened, inTheOpen)).at(approval.n);
    const edited = editedRequest(definition, opened, approval, { request: complete, steps });
    privacy.sealed(opened.input, ['input']);
    return {
      request: privacy.sealedObject(edited.request, ...requestPlaces(approval.tool)),
      show: privacy.sealedShow(edited.show),
    };
  }
}

/** @throws DomainError `automation_key` */
function assertPerson({ isAutomation }: Decider): void {
  if (!isAutomation) return;
  const detail =
    'This API key has `automation: true`. It decides no approval and answers no question, whoever its member is. A person must decide.';
  throw new DomainError('automation_key', detail);
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
        'The workspace is stopped. Until an admin resumes it, an approval can only be rejected, a question cannot be answered, and a call with unknown outcome can only be marked as failed.',
      );
    case 'not_found':
      throw notFound('approval', approval.id);
    case 'not_an_approver':
      throw new DomainError('not_an_approver', `Only ${approversOf(approval)} can decide this approval.`, {
        extensions: { approvers: approval.approvers },
      });
    case 'self_approval':
      throw new DomainError(
        'self_approval_forbidden',
        'You started this run, so another person must decide this approval.',
      );
    case 'not_allowed':
      throw notAllowed(approval);
    case 'changed':
      throw new DomainError(
        'precondition_failed',
        'The request was edited after you read it. Read the approval again.',
        {
          extensions: { request_revision: approval.requestRevision },
        },
      );
  }
}

function alreadyDecided({ status, decisions, decidedAt }: ApprovalEntity): DomainError {
  const last = decisions.at(-1);
  const who =
    last && (status === 'approved' || status === 'rejected' || status === 'answered')
      ? `: ${last.by} decided ${last.decision}`
      : '';
  return new DomainError('approval_already_decided', `The approval is already ${status}${who}.`, {
    extensions: {
      approval_status: status,
      decisions: decisions.map(presentDecision),
      decided_at: decidedAt?.toISOString() ?? null,
    },
  });
}

function notAllowed({ kind, allowedDecisions }: ApprovalEntity): DomainError {
  const detail = `An approval of the kind ${kind} allows only these decisions: ${allowedDecisions.join(', ')}.`;
  return new DomainError('invalid_request', detail, {
    errors: [{ pointer: '/decision', detail }],
    extensions: { allowed_decisions: allowedDecisions },
  });
}

function approversOf({ approvers }: ApprovalEntity): string {
  return approvers.length === 0 ? 'admins of the workspace' : `members of ${approvers.join(', ')}`;
}

function misplaced(field: 'request' | 'answer', detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer: `/${field}`, detail }] });
}
