import type { CompiledDefinition } from '@app/definition';
import type { RunContext } from '../interpreter/step-scope.js';
import type { Run } from './run.entity.js';

/** What expressions of the definition see of the run itself: the same in a worker and where a person decides about it. */
export function runContext(
  run: Pick<Run, 'id' | 'agentId' | 'version' | 'mode' | 'input' | 'trigger' | 'createdAt' | 'initiator'>,
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
