import { ANY_FILES, type CompiledDefinition } from '@app/definition';
import { type JsonObject, nextTurn } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
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

/**
 * @param run the run; `run` and `trace` must not contain sealed values
 * @returns `at` returns the value of `steps` that the call at a position in the trace can read. The value is empty if
 * the interpreter requests no call there.
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
    files: ANY_FILES,
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
