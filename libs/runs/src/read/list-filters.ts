import type { JsonObject } from '@app/kernel';
import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

/** Filter of a list of runs. An absent field does not filter. */
export interface RunFilter {
  agentId?: string;
  statuses?: readonly RunStatus[];
  triggerType?: TriggerType;
  mode?: RunMode;
  /** Earliest creation time, inclusive. */
  since?: Date;
  /** Latest creation time, exclusive. */
  until?: Date;
  version?: number;
  /** E-mail address of the member who started the run. */
  initiator?: string;
  errorCode?: string;
  /** The run must have all of these labels. */
  labels?: JsonObject;
  replayOf?: string;
  /** Ids of runs. Ids that do not belong to a run of the workspace are ignored. */
  ids?: readonly string[];
}

/**
 * Returns whether the filter compares a field of a JSON value. Under row-level security, Postgres cannot use an index
 * for such a comparison, so the statement runs without the tenant role (docs/security.md).
 */
export function comparesJson({ errorCode, labels }: RunFilter): boolean {
  return errorCode !== undefined || labels !== undefined;
}

/** The steps of a trace to read. */
export interface TracePart {
  /** Position after which steps are read. */
  afterN: number;
  /** Default: all steps. */
  limit?: number;
  /** Omits the fields that a summary does not show. */
  summary?: boolean;
}

/** Sort orders of a list of approvals. */
export const APPROVAL_SORTS = ['created_at', 'expires_at'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];
