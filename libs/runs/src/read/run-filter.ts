import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

/** Which runs a list shows; what is not named is not filtered by. */
export interface RunFilter {
  agentId?: string;
  statuses?: readonly RunStatus[];
  triggerType?: TriggerType;
  mode?: RunMode;
  /** Inclusive, by creation time. */
  since?: Date;
  /** Exclusive, by creation time. */
  until?: Date;
}
