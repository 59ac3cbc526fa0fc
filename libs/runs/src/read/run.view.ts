import { formatMicros, type JsonObject } from '@app/kernel';
import { shownObject, shownOutput } from '../privacy/sealed-value.js';
import { hasEnded } from '../records/run-status.js';
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

/** A run with its approvals, as far as the view needs them. */
interface ShownRun {
  run: Pick<
    RunEntity,
    | SameName
    | 'agentId'
    | 'activeMs'
    | 'costMicros'
    | 'costPartial'
    | 'createdAt'
    | 'endedAt'
    | 'replayOf'
    | 'cancelReason'
  >;
  approvals: readonly ShownApproval[];
}

/** See sql/run_snapshot.sql. */
type RunSnapshot = Pick<RunEntity, SameName> & {
  agent_id: string;
  approvals: JsonObject[] | null;
  active_ms: number;
  cost_micros: number;
  cost_partial: boolean;
  created_at: string;
  ended_at: string | null;
  replay_of: string | null;
  cancel_reason: string | null;
};

/** The run as it was when the event was recorded that keeps this snapshot. */
export function runOfSnapshot(snapshot: JsonObject): ShownRun {
  const { approvals, ...row } = snapshot as RunSnapshot;
  const run = {
    ...row,
    agentId: row.agent_id,
    activeMs: String(row.active_ms),
    costMicros: String(row.cost_micros),
    costPartial: row.cost_partial,
    createdAt: new Date(row.created_at),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    replayOf: row.replay_of,
    cancelReason: row.cancel_reason,
  };
  return { run, approvals: (approvals ?? []).map(approvalOfSnapshot) };
}

export function presentRun({ run, approvals }: ShownRun) {
  return {
    id: run.id,
    agent: run.agentId,
    version: run.version,
    mode: run.mode,
    status: run.status,
    trigger: shownObject(run.trigger),
    input: shownObject(run.input),
    output: shownOutput(run.output),
    approvals: approvals.map(presentApproval),
    started_at: run.createdAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    duration_ms: hasEnded(run.status) ? Number(run.activeMs) : null,
    cost: {
      amount: formatMicros(BigInt(run.costMicros)),
      currency: run.currency,
      ...(run.costPartial && { partial: true }),
    },
    created_at: run.createdAt.toISOString(),
    error: run.error,
    labels: run.labels,
    initiator: run.initiator,
    replay_of: run.replayOf,
    cancel_reason: run.cancelReason,
    warnings: run.warnings,
  };
}
