import type { JsonObject } from '@app/kernel';

/** Port: a run that this worker carried out has ended, waits, or was given back. The installation binds it. */
export abstract class RunReleasedListener {
  /** Returns at once and never throws. A call may be lost with the process; implementations poll as well. */
  abstract runReleased(run: { workspaceId: string; trigger: JsonObject }): void;
}
