import { ANY_FILES, type CompiledDefinition } from '@app/definition';
import { type JsonObject, type JsonValue, nextTurn } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
import type { PlanObserver } from '../interpreter/plan-in-progress.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { AttemptState } from './attempt-state.js';
import type { RecordedStep } from './run-commands.js';
import type { RunStepEntity } from './run-step.entity.js';
import type { RunEntity } from './run.entity.js';

export function runContext(
  run: Pick<RunEntity, 'id' | 'agentId' | 'version' | 'mode' | 'input' | 'trigger' | 'createdAt' | 'initiator'>,
  { name }: CompiledDefinition,
): RunContext {
  const { id, mode, initiator, agentId, version } = run;
  return {
    input: run.input,
    trigger: run.trigger,
    run: { id, mode, started_at: run.createdAt.toISOString(), initiator },
    agent: { id: agentId, name, version },
  };
}

/** Has no outcome, so the plan does not go on. */
const UNDECIDED = { state: 'awaiting_approval' } as const;

interface RecordedPlanOptions {
  observer?: PlanObserver;
  gave?: (stepId: string, output: JsonValue) => void;
  maxTurns?: number;
}

/**
 * @param run the run; `run` and `trace` must not contain sealed values
 * @param observer is told of each decision, in its order
 * @param maxTurns of computing; a plan that needs more stays incomplete
 * @returns `at` returns the value of `steps` that the call at a position in the trace can read. The value is empty if
 * the interpreter requests no call there.
 */
export async function recordedPlan(
  definition: CompiledDefinition,
  run: RunEntity,
  trace: readonly RunStepEntity[],
  { observer, gave, maxTurns = Infinity }: RecordedPlanOptions = {},
): Promise<{ at: (n: number) => JsonObject; last: JsonObject; isComplete: boolean }> {
  const ending = trace.findLast(({ type, path }) => type === 'hand_off' || (type === 'error' && path === ''));
  const cancellation = trace.findLast(({ type, path }) => type === 'cancelled' && path === '');
  const isLast = (step: RunStepEntity): boolean => endsRun(step, ending) || isClosedBy(step, cancellation);
  const steps = trace.map((step) => ({ ...recorded(step), ...(isLast(step) && UNDECIDED) }));
  const state = new AttemptState({ steps });
  const context = runContext(run, definition);
  const interpreter = new Interpreter(definition, context, state.recordedNotes, {
    output: state.output,
    failures: state.failures,
    files: ANY_FILES,
    ...(observer && { observer }),
    ...(gave && { gave }),
  });
  let decision = interpreter.next(state.outcomes);
  for (let turns = 0; decision.kind === 'pause' && turns < maxTurns; turns++) {
    await nextTurn();
    decision = interpreter.next(state.outcomes);
  }
  const asks = decision.kind === 'asks' ? decision.asks : [];
  const at = (n: number): JsonObject => {
    const [path] = trace.find((step) => step.n === n)?.path.split('#') ?? [];
    const call = asks.find((ask) => ask.path === path);
    return call?.kind === 'call' ? call.steps : {};
  };
  return { at, last: interpreter.outputs, isComplete: decision.kind !== 'pause' };
}

/** Whether the plan continued without a refused request is not in its own step, only in the ending of the trace. */
function endsRun({ state, error }: RunStepEntity, ending: RunStepEntity | undefined): boolean {
  if (state !== 'rejected' || error === null || ending === undefined) return false;
  return ending.type === 'error' ? ending.detail?.message === error.message : ending.path === error.step;
}

/** The plan does not read the outcome of a step that the cancellation of the run closed, or that ended after it. */
function isClosedBy({ endedAt }: RunStepEntity, cancellation: RunStepEntity | undefined): boolean {
  return cancellation !== undefined && endedAt !== null && endedAt >= cancellation.startedAt;
}

function recorded({
  n,
  path,
  try: tries,
  type,
  tool,
  state,
  request,
  output,
  error,
  detail,
}: RunStepEntity): RecordedStep {
  const result = type === 'output' ? (detail?.output ?? null) : output;
  return { n, path, try: tries, type, tool, state, request, output: result, error, detail, due: false };
}
