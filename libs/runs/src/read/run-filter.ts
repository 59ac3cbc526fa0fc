import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

/** Filter of a list of runs; an absent member does not filter. */
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
