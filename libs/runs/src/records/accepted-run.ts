import type { JsonObject } from '@app/kernel';
import type { RunEntity } from './run.entity.js';
import type { RunMode } from './run-status.js';

/** All other columns of a new run follow from them. */
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
  replayOf?: string | null;
}

/**
 * The response to the first request contains this state. All repeated requests with the same idempotency key get the
 * same response, even if the run has changed since.
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
    hasFiles: false,
    warnings: [],
    costMicros: '0',
    costPartial: false,
    inputTokens: '0',
    outputTokens: '0',
    cacheReadTokens: '0',
    cacheWriteTokens: '0',
    reasoningTokens: '0',
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
