import type { JsonObject } from '@app/kernel';

/** Called when this worker has ended, suspended or released a run. libs/installation binds the implementation. */
export abstract class RunReleasedListener {
  /**
   * Must return immediately and never throw. If the process dies, the method is not called, so implementations must
   * also poll.
   */
  abstract runReleased(run: { workspaceId: string; trigger: JsonObject }): void;
}
