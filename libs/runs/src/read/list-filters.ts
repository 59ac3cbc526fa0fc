import type { JsonObject } from '@app/kernel';
import type { RunMode, RunStatus, TriggerType } from '../records/run-status.js';

export interface RunFilter {
  agentId?: string;
  agents?: readonly string[];
  statuses?: readonly RunStatus[];
  triggerType?: TriggerType;
  mode?: RunMode;
  since?: Date;
  until?: Date;
  version?: number;
  initiator?: string;
  errorCode?: string;
  /** Id of a group of equal errors. */
  errorGroup?: string;
  labels?: JsonObject;
  /** Value of the label `mcp_client`, which a run has of its own. */
  mcpClient?: string;
  replayOf?: string;
  /** Id of the run that started the runs with calls of an agent tool. */
  parent?: string;
  /** Ids that are not ids of runs in the workspace are ignored. */
  ids?: readonly string[];
  /** Text that the JSON of the error, the input or the output contains, regardless of case. */
  text?: string;
  /** Limits of the active time, inclusive. Only runs that have ended match. */
  minDurationMs?: number;
  maxDurationMs?: number;
  /** Limits of the cost in millionths of the currency of the run, inclusive. */
  minCostMicros?: bigint;
  maxCostMicros?: bigint;
}

/** No index supports these filters, so a page reads a limited number of the runs that match the other filters. */
const SEARCHING = [
  'text',
  'minDurationMs',
  'maxDurationMs',
  'minCostMicros',
  'maxCostMicros',
] as const satisfies (keyof RunFilter)[];

export function isSearch(filter: RunFilter): boolean {
  return SEARCHING.some((name) => filter[name] !== undefined);
}

/**
 * Under row-level security, Postgres cannot use an index for this comparison. The statement is therefore executed
 * without the tenant role (docs/security.md).
 */
export function comparesJson({ errorCode, errorGroup, labels }: RunFilter): boolean {
  return errorCode !== undefined || errorGroup !== undefined || labels !== undefined;
}

export interface TracePart {
  afterN: number;
  limit?: number;
  summary?: boolean;
  /** Also returns the responses of tools, which can be large. */
  responses?: boolean;
}

export const APPROVAL_SORTS = ['created_at', 'expires_at'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];
