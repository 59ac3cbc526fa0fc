import { type CompiledDefinition, ExpressionError, type MockedAnswer, SIMULATED_RESPONSE } from '@app/definition';
import { canonicalJson } from '@app/kernel';
import type { Call, Outcome } from '../interpreter/plan.js';
import { judge, type Judgement, shownAbout } from '../interpreter/policy.js';
import { type CallError, isRunErrorCode } from '../interpreter/run-error.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { failureRules } from './approval-gates.js';
import type { ClaimedRun, Gate, StepNote, StepResult } from '../records/run-commands.js';
import type { MockedCalls } from '../records/evaluated-case.js';
import { type CopiedCall, copyOf, type RecordedCall } from '../records/recorded-calls.js';
import type { RunMode } from '../records/run-status.js';
import { simulatedMail } from '../tools/mail-request.js';
import { UnusableRequest } from '../tools/unusable-request.js';

/**
 * - `settled`: the call is not made. Its outcome is known, because it is denied, recorded (in a replay), mocked (in an
 * evaluation) or simulated. - `copied`: the call is not made. The trace already contains its copied step, whose outcome
 * counts.
 */
export type Admission =
  | { kind: 'begin' }
  | { kind: 'settled'; outcome: Outcome; note: StepNote }
  | { kind: 'copied'; copy: CopiedCall }
  | { kind: 'gate'; gate: Gate };

/**
 * Checks the policies first, then recorded results, then the mocks and the mode of the run. The policies judge a copied
 * call as it was recorded.
 * @param copy the call that the run copied for this position
 */
export function admitCall(
  definition: CompiledDefinition,
  { mode, recordedCalls, mocks }: Pick<ClaimedRun, 'mode' | 'recordedCalls' | 'mocks'>,
  call: Call,
  facts: RunContext,
  copy?: CopiedCall,
): Admission {
  const judged = copy ? asCopied(definition, call, copy) : call;
  const judgement = judge(definition, judged, facts);
  if (judgement.action === 'deny') return denied(judged, judgement);
  const record = copy ? undefined : recordedCalls?.find(call);
  const known = copy ?? (record && copyOf(record));
  if (judgement.action === 'require_approval' && !(known && isApproved(mode, known)))
    return { kind: 'gate', gate: gateOf(definition, judged, judgement, facts, known) };
  if (copy) return { kind: 'copied', copy };
  if (record) return recorded(call, record);
  const answer = mocks?.answerTo(call);
  if (answer) return mocked(call, answer);
  return isSimulated(mode, call) ? simulated(definition, call, facts) : { kind: 'begin' };
}

/**
 * @param call the call with the approved request
 * @param copy the call that the run copied for this position
 */
export function approvedResult(
  definition: CompiledDefinition,
  { mode, recordedCalls }: Pick<ClaimedRun, 'mode' | 'recordedCalls'>,
  call: Call,
  facts: RunContext,
  copy?: CopiedCall,
): { outcome: Outcome; result: Omit<StepResult, 'n'> } | undefined {
  const record = recordedCalls?.find(call);
  const known = copy ?? (record && copyOf(record));
  if (known?.outcome.ok && !known.outcome.refusal && canonicalJson(known.request) === canonicalJson(call.request)) {
    const { outcome, detail } = known;
    return { outcome, result: { state: 'succeeded', output: outcome.output, detail } };
  }
  if (!isSimulated(mode, call)) return undefined;
  const outcome = simulatedOutcome(definition, call, facts);
  return outcome.ok
    ? { outcome, result: { state: 'simulated', output: outcome.output } }
    : { outcome, result: { state: 'failed', error: outcome.error } };
}

function asCopied({ operations }: CompiledDefinition, call: Call, { tool, request }: CopiedCall): Call {
  return { ...call, request, operation: operations.get(tool) ?? call.operation };
}

/**
 * Returns whether a call with a recorded result needs no approval. In mode `test` nothing follows from it. In mode
 * `production`, people must have approved the call when it was made.
 */
function isApproved(mode: RunMode, { detail }: CopiedCall): boolean {
  return mode === 'test' || detail.approved === true;
}

function isSimulated(mode: RunMode, { operation }: Call): boolean {
  return mode === 'test' && operation.scope === 'write' && operation.isContained !== true;
}

export function simulatedOutcome(definition: CompiledDefinition, call: Call, facts: RunContext): Outcome {
  const { operation, request, stepId, path } = call;
  const context = { ...facts, request };
  const tool = definition.tools.get(operation.tool);
  try {
    const response =
      tool?.kind === 'email'
        ? simulatedMail(tool, { request, context }, JSON.stringify([facts.run.id ?? null, path]))
        : SIMULATED_RESPONSE;
    return { ok: true, output: operation.simulate ? operation.simulate.evaluate(context) : response };
  } catch (error) {
    if (error instanceof UnusableRequest) {
      const { code, message } = error;
      return { ok: false, error: { code, message, step: stepId, permanent: true }, tries: 1 };
    }
    if (!(error instanceof ExpressionError)) throw error;
    const message = `The simulate value of ${operation.fullName} cannot be evaluated: ${error.message}`;
    return { ok: false, error: { code: 'tool_error', message, step: stepId, permanent: true }, tries: 1 };
  }
}

function simulated(definition: CompiledDefinition, call: Call, facts: RunContext): Admission {
  const outcome = simulatedOutcome(definition, call, facts);
  const summary = 'simulated: the run is in mode test';
  if (!outcome.ok)
    return { kind: 'settled', outcome, note: noteOf(call, { state: 'failed', error: outcome.error, summary }) };
  return { kind: 'settled', outcome, note: noteOf(call, { state: 'simulated', output: outcome.output, summary }) };
}

function recorded({ path, operation, request }: Call, record: RecordedCall): Admission {
  const { fullName: tool, scope, effect } = operation;
  const { outcome, detail } = copyOf(record);
  const result = outcome.ok ? { output: outcome.output } : { error: outcome.error };
  const note = { path, type: 'tool_call' as const, state: record.state, tool, scope, effect, request, detail };
  return { kind: 'settled', outcome, note: { ...note, ...result } };
}

function denied(call: Call, { code, policy, message }: Extract<Judgement, { action: 'deny' }>): Admission {
  const error = { code, message, step: call.stepId, permanent: true };
  const note = noteOf(call, { state: 'denied', error, summary: `denied by the policy ${policy}: ${message}` });
  const outcome = { ok: false as const, error, tries: 1 };
  return { kind: 'settled', outcome, note: { ...note, detail: { ...note.detail, policy } } };
}

type MockedError = Extract<MockedAnswer, { error: object }>['error'];

function mocked(call: Call, answer: NonNullable<ReturnType<MockedCalls['answerTo']>>): Admission {
  if (answer !== 'missing' && 'output' in answer) {
    const { output } = answer;
    const note = noteOf(call, { state: 'simulated', output, summary: 'mocked' });
    return { kind: 'settled', outcome: { ok: true, output }, note };
  }
  const error = answer === 'missing' ? missingMock(call) : mockedError(call, answer.error);
  const note = noteOf(call, { state: 'failed', error, summary: error.message });
  return { kind: 'settled', outcome: { ok: false, error, tries: 1 }, note };
}

function missingMock({ operation, stepId }: Call): CallError {
  const message = `The evaluation case has no mock for ${operation.fullName}, and \`reads: mock\` allows no live calls. Add the operation to \`mock\` of the case.`;
  return { code: 'tool_error', message, step: stepId, permanent: true };
}

/** The call is not retried, because a retry would use the answer that the case defines for the next call. */
function mockedError({ operation, stepId }: Call, { code, status, body }: MockedError): CallError {
  const answered = status === undefined ? '' : ` (status ${status})`;
  return {
    code: isRunErrorCode(code) ? code : 'tool_error',
    message: `${operation.fullName} failed${answered}: mocked by the evaluation case`,
    step: stepId,
    permanent: true,
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body }),
  };
}

function noteOf(
  { path, request, operation }: Call,
  { summary, ...result }: Pick<StepNote, 'state' | 'output' | 'error'> & { summary: string },
): StepNote {
  const { fullName: tool, scope, effect } = operation;
  return { path, type: 'tool_call', tool, scope, effect, request, detail: { response_summary: summary }, ...result };
}

function gateOf(
  definition: CompiledDefinition,
  call: Call,
  { policy, reason: why, rule }: Extract<Judgement, { action: 'require_approval' }>,
  facts: RunContext,
  known: CopiedCall | undefined,
): Gate {
  const show = shownAbout(definition, call, rule.show, facts);
  const onReject = rule.onReject ?? (definition.kind === 'model' ? 'continue' : 'fail');
  const reason = known?.outcome.ok ? `${why} (the call was made in the replayed run and is not made again)` : why;
  return { kind: 'tool_call', policy, reason, rule, onReject, show, ...failureRules(definition, rule) };
}
