import { CompiledVersionsService } from '@app/agents';
import { RunFilesService } from '@app/files';
import {
  DomainError,
  type ExpectedVersions,
  fileValuesIn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  notFound,
} from '@app/kernel';
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
import { referencesIn } from '../privacy/file-references.js';
import { fileRunOf } from '../records/file-run.js';
import { type AcceptedValue, InputFilesService } from '../start/input-files.service.js';
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

/** What a person sent with a decision, checked and in the form in which it is stored. */
type CheckedInput = Pick<DecisionEntry, 'edited' | 'answer' | 'files'> & {
  /** Files that were stored for it. */
  stored?: readonly string[];
};

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
    private readonly inputs: InputFilesService,
    private readonly files: RunFilesService,
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
    const answered = await this.checkedAnswer(approval, decider, request);
    const { files, stored = [], ...checked } = { edited: null, ...(edited ?? answered) };
    const entry = { decision, comment, ...checked, files, expected: request.expected, via };
    const verdict = await this.store.decide(address, decider, entry).catch(async (error: unknown) => {
      await this.inputs.discard(workspaceId, stored);
      throw error;
    });
    if (verdict !== 'decided' && verdict !== 'recorded') await this.inputs.discard(workspaceId, stored);
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
    { decision, request, principal }: Pick<Decide, 'decision' | 'request' | 'principal'>,
  ): Promise<CheckedInput | null> {
    if (decision !== 'edit') {
      if (request === undefined) return null;
      throw misplaced('request', `\`request\` is allowed only with the decision \`edit\`, not with \`${decision}\`.`);
    }
    if (request === undefined)
      throw misplaced('request', 'The decision `edit` requires the field `request` with the complete new request.');
    // The edit is then not checked here, and the store returns the reason for refusing the decision.
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider, 'edit');
    if (refusals.get(approval.id)) return { edited: { request, show: null } };
    const run = await this.runs.get(approval.workspaceId, approval.runId);
    return this.judgedEdit(approval, run, request, principal);
  }

  /**
   * Fields that the person left out get the defaults of the question's form. Returns null if the decision is not an
   * answer, or if the store will refuse the decision.
   */
  private async checkedAnswer(
    approval: ApprovalEntity,
    decider: Decider,
    { decision, answer, principal }: Pick<Decide, 'decision' | 'answer' | 'principal'>,
  ): Promise<CheckedInput | null> {
    if (decision !== 'answer') {
      if (answer === undefined || answer === null) return null;
      throw misplaced('answer', `\`answer\` is allowed only with the decision \`answer\`, not with \`${decision}\`.`);
    }
    if (answer === undefined || answer === null)
      throw misplaced('answer', 'The decision `answer` requires the field `answer` with the answer to the question.');
    // The store then returns the reason for refusing the decision.
    const refusals = await this.approvals.refusals(approval.workspaceId, [approval], decider, 'answer');
    if (refusals.get(approval.id) || !approval.form) return null;
    return this.sealedAnswer(approval, approval.form, answer, principal);
  }

  private async sealedAnswer(
    approval: ApprovalEntity,
    form: JsonObject,
    answer: JsonValue,
    caller: Principal,
  ): Promise<CheckedInput> {
    const { workspaceId, runId, tool } = approval;
    const { run, steps } = await this.runs.trace(workspaceId, runId);
    const definition = await this.versions.get(workspaceId, run.agentId, run.version);
    const privacy = this.privacies.ofRun(run, definition);
    // An answer that is no object does not match the form, and has no files.
    const value = isJsonObject(answer) ? answer : checkedAnswer(form, answer);
    const accepted = await this.accepted(approval, run, caller, { member: 'answer', value, schema: form });
    const { files, stored } = accepted;
    const complete = await this.discardingUnless(workspaceId, stored, () => checkedAnswer(form, accepted.value, files));
    if (!privacy.redactsNothing) {
      const { input, trigger } = openedRun(run, privacy);
      learnRecorded(privacy, { input, trigger, steps: steps.map((step) => openedStep(step, privacy)) });
    }
    const places = outputPlaces(tool ?? '', null);
    return {
      edited: null,
      answer: privacy.sealedObject(complete, ...places),
      files: referencesIn({ value: complete, step: tool, places, isRoot: true }, privacy, files),
      stored,
    };
  }

  private async judgedEdit(
    approval: ApprovalEntity,
    run: RunEntity,
    request: JsonObject,
    caller: Principal,
  ): Promise<CheckedInput> {
    const { workspaceId, tool } = approval;
    const definition = await this.versions.get(run.workspaceId, run.agentId, run.version);
    const privacy = this.privacies.ofRun(run, definition);
    const opened = openedRun(run, privacy);
    const restored = privacy.openedObject(restoredObject(request, approval.request));
    const schema = tool === null ? undefined : definition.operations.get(tool)?.request?.schema;
    const accepted = await this.accepted(approval, run, caller, { member: 'request', value: restored, schema });
    const { value: complete, files, stored } = accepted;
    const { steps: trace } = await this.runs.trace(run.workspaceId, run.id);
    const inTheOpen = trace.map((step) => openedStep(step, privacy));
    const plan = await recordedPlan(definition, opened, inTheOpen);
    const edited = await this.discardingUnless(workspaceId, stored, () =>
      editedRequest(definition, opened, approval, { request: complete, steps: plan.at(approval.n), files }),
    );
    privacy.sealed(opened.input, ['input']);
    const places = requestPlaces(tool);
    const step = inTheOpen.find(({ n }) => n === approval.n)?.path ?? null;
    return {
      edited: { request: privacy.sealedObject(edited.request, ...places), show: privacy.sealedShow(edited.show) },
      files: referencesIn({ value: edited.request, step, places, isRoot: true }, privacy, files),
      stored,
    };
  }

  /** The approver may use the files of the request and of what is shown, because reading the approval shows them. */
  private async accepted(
    { workspaceId, request, show }: ApprovalEntity,
    run: RunEntity,
    caller: Principal,
    given: { member: string; value: JsonObject; schema: JsonObject | undefined },
  ): Promise<AcceptedValue> {
    const shown = [request, show].flatMap((each) => fileValuesIn(each ?? null).map(({ id }) => id));
    const known = await this.files.usable(workspaceId, fileRunOf(run), shown);
    const source = { type: 'upload', run: run.id } as const;
    return this.inputs.accept({ ...given, workspaceId, caller, known, source });
  }

  private async discardingUnless<T>(workspaceId: string, stored: readonly string[], check: () => T): Promise<T> {
    try {
      return check();
    } catch (error) {
      await this.inputs.discard(workspaceId, stored);
      throw error;
    }
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
