import type { CompiledDefinition } from '@app/definition';
import { type JsonObject, nextTurn } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { AttemptState } from './attempt-state.js';
import type { RecordedStep } from './run-commands.js';
import type { RunStepEntity } from './run-step.entity.js';
import type { RunEntity } from './run.entity.js';

/** What expressions of the definition see of the run itself: the same in a worker and where a person decides about it. */
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
 * What `steps` means at the place of the plan that a run has come to, computed from what is recorded as its worker did. A plan
 * that computes much lets the process do other things in between.
 * @param run and `trace` with everything of them in the open
 * @returns `at`: of the call at that position of the trace, empty where the plan asks for no call there any more; `last`: at
 *   the top of the plan
 */
export async function recordedPlan(
  definition: CompiledDefinition,
  run: RunEntity,
  trace: readonly RunStepEntity[],
): Promise<{ at: (n: number) => JsonObject; last: JsonObject }> {
  const memory = new AttemptState({ steps: trace.map(recorded) });
  const facts = runContext(run, definition);
  const interpreter = new Interpreter(definition, facts, memory.noted, { output: memory.output });
  let decision = interpreter.next(memory.outcomes);
  while (decision.kind === 'pause') {
    await nextTurn();
    decision = interpreter.next(memory.outcomes);
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
