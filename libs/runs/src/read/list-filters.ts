import type { JsonObject } from '@app/kernel';
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
  version?: number;
  /** E-mail address of the member who started the run. */
  initiator?: string;
  errorCode?: string;
  /** Labels that the run has, all of them. */
  labels?: JsonObject;
  replayOf?: string;
  /** Ids that are no run of the workspace match nothing. */
  ids?: readonly string[];
}

/**
 * Whether the filter compares a member of a JSON value. Under row-level security no index serves such a comparison, so
 * the statement runs without the tenant role (docs/security.md).
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
  /** Leaves out what a summary does not show. */
  summary?: boolean;
}

/** Orders of a list of approvals. */
export const APPROVAL_SORTS = ['created_at', 'expires_at'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];
