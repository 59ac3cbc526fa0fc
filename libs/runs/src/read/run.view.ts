import { formatMicros } from '@app/kernel';
import { shownObject, shownOutput } from '../privacy/sealed-value.js';
import { hasEnded } from '../records/run-status.js';
import { presentApproval } from './approval.view.js';
import type { RunWithApprovals } from './run-queries.service.js';

export function presentRun({ run, approvals }: RunWithApprovals) {
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
