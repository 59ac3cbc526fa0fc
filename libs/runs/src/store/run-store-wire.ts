import type { FileReference } from '@app/files';
import { type JsonObject, storableJson } from '@app/kernel';
import { byteaText, type Statement } from '@app/platform/database';
import { currentTraceparent } from '@app/platform/observability';
import { DECISIONS_BY_KIND } from '../records/approval-status.js';
import type {
  ClaimedRun,
  Creation,
  CreationVerdict,
  Gate,
  QueueRules,
  RecordedStep,
  Replay,
  StepIntent,
} from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';

export interface CreationRow {
  verdict: CreationVerdict['verdict'];
  run_id: string;
  version: number;
  created_at: Date;
}

export function creationVerdict(row: CreationRow): CreationVerdict {
  switch (row.verdict) {
    case 'created':
    case 'replayed':
      return { verdict: row.verdict, runId: row.run_id, createdAt: row.created_at };
    case 'version_changed':
      return { verdict: row.verdict, version: row.version };
    default:
      return { verdict: row.verdict };
  }
}

export interface ClaimRow {
  id: string;
  workspace_id: string;
  agent_id: string;
  version: number;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  attempt: number;
  active_ms: string;
  created_at: Date;
  steps: RecordedStep[];
}

/** Several claims share one statement, which returns a row for each. */
export interface NoClaimRow {
  id: null;
}

export function foundRun(row: ClaimRow | NoClaimRow | undefined): ClaimedRun | undefined {
  return row === undefined || row.id === null ? undefined : claimedRun(row);
}

/**
 * In objects that are created for every run, such as this one, the spread must come last. If V8 adds fields after a
 * spread, each object gets a separate hidden class, and each access to its fields is slower.
 */
function claimedRun(row: ClaimRow): ClaimedRun {
  const { workspace_id, agent_id, active_ms, created_at, ...same } = row;
  return { workspaceId: workspace_id, agentId: agent_id, activeMs: Number(active_ms), createdAt: created_at, ...same };
}

/** A call of create_run. sql/create_run.sql describes its members. */
export interface CreationCall {
  run: string;
  workspace: string;
  agent: string;
  version: number;
  pinned: boolean;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  currency: string;
  endpoint?: string | undefined;
  key?: string | undefined;
  fingerprint?: string | undefined;
  files?: readonly FileReference[] | undefined;
  limits: JsonObject;
}

/** @param idempotencyMillis time in milliseconds for which the idempotency key is valid */
export function creationCall(run: Creation, idempotencyMillis?: number): CreationCall {
  const { idempotency } = run;
  const rules = sqlRules(run.rules);
  const kept = idempotency !== null && idempotencyMillis !== undefined;
  return {
    run: run.id,
    workspace: run.workspaceId,
    agent: run.agentId,
    version: run.version,
    pinned: run.pinned,
    mode: run.mode,
    trigger: run.trigger,
    input: run.input,
    labels: run.labels,
    initiator: run.initiator,
    currency: run.currency,
    endpoint: idempotency?.endpoint,
    key: idempotency?.key,
    fingerprint: idempotency ? byteaText(idempotency.fingerprint) : undefined,
    files: unlessEmpty(run.files ?? []),
    limits: kept ? { ...rules, idempotency_ms: idempotencyMillis } : rules,
  };
}

export function replayMembers({ of, first }: Replay, mode: RunMode): object {
  // In mode `test`, write calls are simulated, so the replay may reuse the recorded decisions of approvers.
  return { source: of, before: first?.n ?? null, again: first?.path ?? null, approvals: mode === 'test' };
}

/**
 * Returns a statement that also records the references of the run to files, in the same transaction, if its verdict is one
 * of `verdicts`. Without files, it is the statement itself.
 */
export function referring(
  { name, text }: Statement,
  values: readonly unknown[],
  { runId, files, verdicts }: { runId: string; files: readonly FileReference[]; verdicts: readonly string[] },
): [Statement, unknown[]] {
  if (files.length === 0) return [{ name, text }, [...values]];
  const [run, list, wanted] = [1, 2, 3].map((at) => `$${values.length + at}`);
  const referred = `case when done.verdict = any (${wanted}::text[]) then run_machine.refer_run_to_files(${run}, ${list}) end`;
  const both = `with done as materialized (${text}) select done.*, ${referred} as referred from done`;
  return [{ name: `${name}_with_files`, text: both }, [...values, runId, storableJson(files), [...verdicts]]];
}

export function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

export function jsonList(items: readonly object[]): string | null {
  return items.length === 0 ? null : storableJson(items);
}

/** If traces are exported, it contains the current W3C trace context. */
export function sqlRules({ queueTtlMs, headStartMs, isDraft, concurrency }: QueueRules): JsonObject {
  const traceparent = currentTraceparent();
  return {
    queue_ttl_ms: queueTtlMs,
    concurrency_max: concurrency?.max ?? null,
    concurrency_key: concurrency?.key ?? null,
    concurrency_max_per_key: concurrency?.maxPerKey ?? null,
    reject_conflict: concurrency?.rejectConflict ?? false,
    ...(traceparent !== undefined && { traceparent }),
    ...(headStartMs !== undefined && { head_start_ms: headStartMs }),
    ...(isDraft && { draft: true }),
  };
}

export function sqlIntent(intent: StepIntent): object {
  switch (intent.type) {
    case 'wait':
      return {
        type: intent.type,
        path: intent.path,
        due_in_ms: intent.dueInMs,
        due_at: intent.dueAt,
        callback: intent.callback,
      };
    case 'approval':
      return { ...intent, gate: sqlGate(intent.gate) };
    case 'model_call':
      return intent;
    case 'tool_call':
      return intent.gate ? { ...intent, gate: sqlGate(intent.gate) } : intent;
  }
}

function sqlGate({ kind, policy, reason, rule, onReject, handOffTo, failureIsHandled, show, question }: Gate): object {
  return {
    kind,
    policy,
    reason,
    approvers: rule.approvers,
    required: kind === 'in_doubt' ? 1 : rule.required,
    // For a call with an unknown outcome, the approver states what happened and gives no permission. Therefore the
    // initiator of the run may decide.
    self_approval: kind === 'in_doubt' || rule.selfApproval,
    show,
    allowed_decisions: DECISIONS_BY_KIND[kind],
    timeout_ms: rule.timeoutMs,
    on_timeout: rule.onTimeout,
    on_reject: onReject,
    hand_off_to: handOffTo,
    failure_is_handled: failureIsHandled,
    ...question,
  };
}
