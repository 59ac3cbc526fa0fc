import type { JsonObject } from '@app/kernel';
import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

/** Filter of a list of runs. Absent fields select all runs. */
export interface RunFilter {
  agentId?: string;
  /** Selects only the runs of these agents. */
  agents?: readonly string[];
  statuses?: readonly RunStatus[];
  triggerType?: TriggerType;
  mode?: RunMode;
  /** Selects runs that were created at this time or later. */
  since?: Date;
  /** Selects runs that were created before this time. */
  until?: Date;
  version?: number;
  /** E-mail address of the user who started the run. */
  initiator?: string;
  errorCode?: string;
  /** The run must have all of these labels. */
  labels?: JsonObject;
  replayOf?: string;
  /** Id of the run that started the runs with calls of an agent tool. */
  parent?: string;
  /** Ids that are not ids of runs in the workspace are ignored. */
  ids?: readonly string[];
}

/**
 * Returns whether the filter compares fields inside a JSON column. Under row-level security, Postgres cannot use an
 * index for this comparison. The statement is therefore executed without the tenant role (docs/security.md).
 */
export function comparesJson({ errorCode, labels }: RunFilter): boolean {
  return errorCode !== undefined || labels !== undefined;
}

export interface TracePart {
  /** Only steps after this position in the trace are read. */
  afterN: number;
  /** Maximum number of steps. Default: all steps. */
  limit?: number;
  summary?: boolean;
}

export const APPROVAL_SORTS = ['created_at', 'expires_at'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];
