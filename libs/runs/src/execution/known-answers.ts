import { ANY_FILES } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { checkedAnswer } from '../approvals/decision-input.js';
import type { CallbackRequest, Outcome, Question, RunOutcome } from '../interpreter/plan.js';
import { describedFiles, type RunFileIndex } from '../interpreter/run-file-facts.js';
import type { ClaimedRun, StepNote } from '../records/run-commands.js';

type AnsweredRun = Pick<ClaimedRun, 'mode' | 'recordedCalls' | 'mocks'>;
type Answerable = Question | CallbackRequest;

/**
 * There are three cases: the evaluation case defines the outcome, a replay uses the recorded outcome, or a callback is
 * simulated. A replay in mode `production` asks a question again, because an answer of a person is valid for only one
 * run.
 */
export function knownAnswer(
  { mode, recordedCalls, mocks }: AnsweredRun,
  ask: Answerable,
  files: RunFileIndex,
): { note: StepNote; outcome: Outcome } | undefined {
  const mocked = mocks?.answerOf(ask.stepId);
  if (mocked) {
    // The definition was checked with the answer, and the tools check whether the run may use its files.
    const answer = ask.kind === 'question' ? checkedAnswer(ask.form, mocked, ANY_FILES) : mocked;
    return answered(ask, 'simulated', describedFiles(answer, files, true));
  }
  if (ask.kind === 'question') {
    const recorded = mode === 'test' ? recordedCalls?.answerAt(ask.path, 'approval') : undefined;
    return recorded && answered(ask, 'succeeded', recorded.output, recorded.id);
  }
  const recorded = recordedCalls?.answerAt(ask.path, 'wait');
  if (recorded) return answered(ask, 'succeeded', recorded.output, recorded.id);
  return ask.simulated === null ? undefined : answered(ask, 'simulated', ask.simulated);
}

/** The run ends instead of waiting. */
export function unawaitedCallback({ path, stepId }: CallbackRequest): { note: StepNote; outcome: RunOutcome } {
  const detail = { for: 'callback', asked: false };
  const reason = `The case has no answer for the callback of the step ${stepId}.`;
  return {
    note: { path, type: 'wait', state: 'cancelled', detail },
    outcome: { status: 'handed_off', output: { to: [], reason } },
  };
}

function answered(
  ask: Answerable,
  state: 'simulated' | 'succeeded',
  output: JsonValue,
  from?: string,
): { note: StepNote; outcome: Outcome } {
  const copied: JsonObject = from === undefined ? {} : { recorded: true, recorded_from: from };
  const type = ask.kind === 'question' ? 'approval' : 'wait';
  const note: StepNote = { path: ask.path, type, state, output, detail: { ...detailOf(ask), ...copied } };
  return { note, outcome: { ok: true, output } };
}

function detailOf(ask: Answerable): JsonObject {
  if (ask.kind === 'callback') return { for: 'callback' };
  const { stepId, to, title } = ask;
  return { policy: stepId, approvers: [...to], title, decision: 'answer', decided_by: [], comment: null };
}
