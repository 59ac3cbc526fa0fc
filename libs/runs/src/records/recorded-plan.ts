import type { CompiledDefinition } from '@app/definition';
import { type JsonObject, nextTurn } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { AttemptState } from './attempt-state.js';
import type { RecordedStep } from './run-commands.js';
import type { RunStepEntity } from './run-step.entity.js';
import type { RunEntity } from './run.entity.js';

/** Returns the variables that expressions of the definition can read. */
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

/**
 * Computes the value of `steps` at the current place in the run's plan from the records, in the same way as the worker.
 * During a long computation, it yields to other work of the process.
 * @param run the run; `run` and `trace` must not contain sealed values
 * @returns `at`: the value of `steps` for the call at this position of the trace, empty if the plan no longer asks for
 *   a call there; `last`: the value of `steps` at the top level of the plan
 */
export async function recordedPlan(
  definition: CompiledDefinition,
  run: RunEntity,
  trace: readonly RunStepEntity[],
): Promise<{ at: (n: number) => JsonObject; last: JsonObject }> {
  const state = new AttemptState({ steps: trace.map(recorded) });
  const context = runContext(run, definition);
  const interpreter = new Interpreter(definition, context, state.recordedNotes, {
    output: state.output,
    failures: state.failures,
  });
  let decision = interpreter.next(state.outcomes);
  while (decision.kind === 'pause') {
    await nextTurn();
    decision = interpreter.next(state.outcomes);
  }
  const asks = decision.kind === 'asks' ? decision.asks : [];
  const at = (n: number): JsonObject => {
    const [path] = trace.find((step) => step.n === n)?.path.split('#') ?? [];
    const call = asks.find((ask) => ask.path === path);
    return call?.kind === 'call' ? call.steps : {};
  };
  return { at, last: interpreter.outputs };
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
