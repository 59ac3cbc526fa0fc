import { formatMicros, type JsonObject } from '@app/kernel';
import { consolePage, type ConsoleUrl } from './console-page.js';
import { shownObject, shownOutput } from '../privacy/sealed-value.js';
import { hasEnded, type RunWaiting } from '../records/run-status.js';
import type { RunEntity } from '../records/run.entity.js';
import { approvalOfSnapshot, presentApproval, type ShownApproval } from './approval.view.js';

type SameName =
  | 'id'
  | 'version'
  | 'mode'
  | 'status'
  | 'trigger'
  | 'input'
  | 'output'
  | 'currency'
  | 'error'
  | 'labels'
  | 'initiator'
  | 'warnings';

type TokenCounts = Pick<
  RunEntity,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens'
>;

interface ShownRun {
  run: Pick<
    RunEntity,
    | SameName
    | 'agentId'
    | 'agentName'
    | 'waiting'
    | 'activeMs'
    | 'costMicros'
    | 'costPartial'
    | keyof TokenCounts
    | 'createdAt'
    | 'endedAt'
    | 'replayOf'
    | 'cancelReason'
  >;
  approvals: readonly ShownApproval[];
  callbackUrl?: string;
}

type RunSnapshot = Pick<RunEntity, SameName> & {
  agent_id: string;
  /** `agent_name` and `waiting` are absent in events that earlier releases have recorded. */
  agent_name?: string;
  waiting?: RunWaiting | null;
  approvals: JsonObject[] | null;
  active_ms: number;
  cost_micros: number;
  cost_partial: boolean;
  /** The numbers of tokens are absent in events that earlier releases have recorded. */
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
  created_at: string;
  ended_at: string | null;
  replay_of: string | null;
  cancel_reason: string | null;
};

export function runOfSnapshot(snapshot: JsonObject): ShownRun {
  const { approvals, ...row } = snapshot as RunSnapshot;
  const run = {
    ...row,
    agentId: row.agent_id,
    agentName: row.agent_name ?? row.agent_id,
    waiting: row.waiting ?? null,
    activeMs: String(row.active_ms),
    costMicros: String(row.cost_micros),
    costPartial: row.cost_partial,
    inputTokens: String(row.input_tokens ?? 0),
    outputTokens: String(row.output_tokens ?? 0),
    cacheReadTokens: String(row.cache_read_tokens ?? 0),
    cacheWriteTokens: String(row.cache_write_tokens ?? 0),
    reasoningTokens: String(row.reasoning_tokens ?? 0),
    createdAt: new Date(row.created_at),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    replayOf: row.replay_of,
    cancelReason: row.cancel_reason,
  };
  return { run, approvals: (approvals ?? []).map((approval) => approvalOfSnapshot(approval, row)) };
}

export function presentRun({ run, approvals, callbackUrl }: ShownRun, consoleUrl: ConsoleUrl) {
  return {
    id: run.id,
    agent: run.agentId,
    agent_name: run.agentName,
    version: run.version,
    mode: run.mode,
    status: run.status,
    waiting: run.waiting && presentWaiting(run.waiting),
    trigger: shownObject(run.trigger),
    input: shownObject(run.input),
    output: shownOutput(run.output),
    approvals: approvals.map((approval) => presentApproval(approval, consoleUrl)),
    started_at: run.createdAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    duration_ms: hasEnded(run.status) ? Number(run.activeMs) : null,
    cost: {
      amount: formatMicros(BigInt(run.costMicros)),
      currency: run.currency,
      ...(run.costPartial && { partial: true }),
    },
    usage: {
      input_tokens: Number(run.inputTokens),
      output_tokens: Number(run.outputTokens),
      cache_read_tokens: Number(run.cacheReadTokens),
      cache_write_tokens: Number(run.cacheWriteTokens),
      reasoning_tokens: Number(run.reasoningTokens),
    },
    created_at: run.createdAt.toISOString(),
    error: run.error,
    labels: run.labels,
    initiator: run.initiator,
    replay_of: run.replayOf,
    cancel_reason: run.cancelReason,
    warnings: run.warnings,
    ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
    ...consolePage(consoleUrl, 'runs', run.id),
  };
}

function presentWaiting({ for: reason, until, runs }: RunWaiting): RunWaiting {
  return { for: reason, ...(until !== undefined && { until: new Date(until).toISOString() }), ...(runs && { runs }) };
}
