import type { JsonObject } from '@app/kernel';
import type { RunEntity } from './run.entity.js';
import type { RunMode } from './run-status.js';

/** The values that are fixed when a run is accepted; the rest of its record follows from them. */
export interface Acceptance {
  id: string;
  workspaceId: string;
  agentId: string;
  agentName: string;
  version: number;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  currency: string;
  createdAt: Date;
  /** Id of the run that this one repeats. */
  replayOf?: string | null;
}

/**
 * The run at the moment of its acceptance. An idempotent request gets this answer the first time and every time it is
 * repeated, whatever the run has done since.
 */
export function acceptedRun(acceptance: Acceptance): RunEntity {
  const { id, workspaceId, agentId, agentName, version, mode, trigger, input, labels, initiator, currency, createdAt } =
    acceptance;
  return {
    id,
    workspaceId,
    agentId,
    agentName,
    version,
    mode,
    trigger,
    input,
    labels,
    initiator,
    currency,
    createdAt,
    replayOf: acceptance.replayOf ?? null,
    status: 'queued',
    waiting: { for: 'worker' },
    output: null,
    error: null,
    cancelReason: null,
    isKept: false,
    warnings: [],
    costMicros: '0',
    costPartial: false,
    attempt: 0,
    workerId: null,
    claimOp: null,
    lastOp: null,
    claimedAt: null,
    stepN: 1,
    recoveries: 0,
    wakeAt: createdAt,
    activeMs: '0',
    endedAt: null,
    queueDeadline: null,
    concurrencyMax: null,
    concurrencyKey: null,
    concurrencyMaxPerKey: null,
    traceparent: null,
    traceForgottenAt: null,
  };
}
