import type { JsonObject } from '@app/kernel';

/** Called when this worker has ended, suspended or released a run. libs/installation binds an implementation. */
export abstract class RunReleasedListener {
  /** Must return at once and never throw. If the process dies, the call is lost, so implementations must also poll. */
  abstract runReleased(run: { workspaceId: string; trigger: JsonObject }): void;
}
