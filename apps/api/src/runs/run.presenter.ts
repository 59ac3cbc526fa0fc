import type { Response } from 'express';
import { formatMicros } from '@app/kernel';
import { hasEnded, type Run, type RunWithApprovals, shownObject, shownOutput } from '@app/runs';
import { presentApproval } from '../approvals/approval.presenter.js';
import { accepted, markReplayed } from '../http/answers.js';
import type { RunResource } from './run.dto.js';

export function presentRun({ run, approvals }: RunWithApprovals): RunResource {
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

/** The answer to a start: the run, where to follow it, and whether this very request was answered before. */
export function presentStart(response: Response, { run, replayed }: { run: Run; replayed: boolean }): RunResource {
  if (replayed) markReplayed(response);
  // As it was when it was accepted, also the second time: it had asked nobody.
  return accepted(response, `/v1/runs/${run.id}`, presentRun({ run, approvals: [] }));
}
