import type { CompiledDefinition } from '@app/definition';
import { type JsonObject, nextTurn } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { AttemptState } from './attempt-state.js';
import type { RecordedStep } from './run-commands.js';
import type { RunStepEntity } from './run-step.entity.js';
import type { RunEntity } from './run.entity.js';

/** The run as expressions of the definition see it, in a worker and when a person decides about an approval. */
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
 * The value of `steps` at the current place of the run's plan, computed from the records as the worker did. A plan
 * that computes much yields to other work of the process in between.
 * @param run and `trace` must be fully opened (no sealed values)
 * @returns `at`: `steps` for the call at that position of the trace, empty if the plan no longer asks for a call there;
 *   `last`: `steps` at the top of the plan
 */
export async function recordedPlan(
  definition: CompiledDefinition,
  run: RunEntity,
  trace: readonly RunStepEntity[],
): Promise<{ at: (n: number) => JsonObject; last: JsonObject }> {
  const state = new AttemptState({ steps: trace.map(recorded) });
  const context = runContext(run, definition);
  const interpreter = new Interpreter(definition, context, state.recordedNotes, { output: state.output });
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
  return { n, path, try: tries, type, tool, state, request, output: result, error, due: false };
}
