import type { JsonObject } from '@app/kernel';
import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

/** Filter of a list of runs. An absent field does not filter. */
export interface RunFilter {
  agentId?: string;
  statuses?: readonly RunStatus[];
  triggerType?: TriggerType;
  mode?: RunMode;
  /** Inclusive lower limit of the creation time. */
  since?: Date;
  /** Exclusive upper limit of the creation time. */
  until?: Date;
  version?: number;
  /** E-mail address of the member who started the run. */
  initiator?: string;
  errorCode?: string;
  /** The run must have all of these labels. */
  labels?: JsonObject;
  replayOf?: string;
  /** Ids that do not belong to a run of the workspace are ignored. */
  ids?: readonly string[];
}

/**
 * Returns whether the filter compares a field of a JSON value. Under row-level security, Postgres cannot use an index
 * for such a comparison, so the statement is executed without the tenant role (docs/security.md).
 */
export function comparesJson({ errorCode, labels }: RunFilter): boolean {
  return errorCode !== undefined || labels !== undefined;
}

export interface TracePart {
  /** Only steps after this position are read. */
  afterN: number;
  /** Default: all steps. */
  limit?: number;
  summary?: boolean;
}

export const APPROVAL_SORTS = ['created_at', 'expires_at'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];
