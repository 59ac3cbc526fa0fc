import type { FileRun } from '@app/files';
import type { JsonObject } from '@app/kernel';

/** Returns the run in the form in which it refers to files. */
export function fileRunOf({ id, agentId, trigger }: { id: string; agentId: string; trigger: JsonObject }): FileRun {
  const parent = trigger.type === 'agent' && typeof trigger.run === 'string' ? trigger.run : null;
  return { runId: id, agentId, parentRunId: parent };
}
