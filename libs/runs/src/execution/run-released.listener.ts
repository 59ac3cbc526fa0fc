import type { JsonObject } from '@app/kernel';

/** Port, bound by libs/installation: called when this worker has ended, suspended or released a run. */
export abstract class RunReleasedListener {
  /** Must return at once and never throw. A call is lost if the process dies, so implementations must also poll. */
  abstract runReleased(run: { workspaceId: string; trigger: JsonObject }): void;
}
