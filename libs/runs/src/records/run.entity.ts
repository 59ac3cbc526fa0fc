import type { JsonObject, JsonValue } from '@app/kernel';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { RunError } from '../interpreter/run-error.js';
import type { RunMode, RunStatus, RunWaiting } from './run-status.js';

/**
 * A warning about a run. `output_truncated`: a model stopped at its limit of output tokens.
 *
 * `step` is the id of the step in the definition, or null if the agent has no steps. `n` is the position of the model
 * turn in the trace.
 */
export type RunWarning = { code: 'output_truncated'; message: string; step: string | null; n: number };

/** Only the functions in sql/ write it. */
@Entity('runs')
export class RunEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @VirtualColumn({ type: 'text', query: (run) => `select a.name from agents a where a.id = ${run}.agent_id` })
  agentName: string;

  /** The SQL function is called only for runs that may wait. */
  @VirtualColumn({
    type: 'jsonb',
    query: (run) => `select case when ${run}.status in ('queued', 'waiting_approval')
      then run_machine.waiting_for(${run}.id, ${run}.status, ${run}.attempt, ${run}.wake_at) end`,
  })
  waiting: RunWaiting | null;

  @Column({ type: 'integer' })
  version: number;

  @Column({ type: 'text' })
  mode: RunMode;

  @Column({ type: 'jsonb' })
  trigger: JsonObject;

  @Column({ type: 'jsonb' })
  input: JsonObject;

  @Column({ type: 'jsonb', default: {} })
  labels: JsonObject;

  /** E-mail address of the user who started the run. Null if no person started it. */
  @Column({ type: 'text', nullable: true })
  initiator: string | null;

  @Column({ name: 'replay_of', type: 'text', collation: 'C', nullable: true })
  replayOf: string | null;

  @Column({ type: 'text', default: 'queued' })
  status: RunStatus;

  @Column({ type: 'jsonb', nullable: true })
  output: JsonValue;

  @Column({ type: 'jsonb', nullable: true })
  error: RunError | null;

  @Column({ name: 'cancel_reason', type: 'text', nullable: true })
  cancelReason: string | null;

  @Column({ name: 'is_kept', type: 'boolean', default: false })
  isKept: boolean;

  @Column({ name: 'has_files', type: 'boolean', default: false })
  hasFiles: boolean;

  @Column({ type: 'jsonb', default: [] })
  warnings: RunWarning[];

  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  /** True if a part of the cost is unknown and not included in `cost_micros`. */
  @Column({ name: 'cost_partial', type: 'boolean', default: false })
  costPartial: boolean;

  @Column({ name: 'input_tokens', type: 'bigint', default: 0 })
  inputTokens: string;

  @Column({ name: 'output_tokens', type: 'bigint', default: 0 })
  outputTokens: string;

  @Column({ name: 'cache_read_tokens', type: 'bigint', default: 0 })
  cacheReadTokens: string;

  @Column({ name: 'cache_write_tokens', type: 'bigint', default: 0 })
  cacheWriteTokens: string;

  @Column({ name: 'reasoning_tokens', type: 'bigint', default: 0 })
  reasoningTokens: string;

  @Column({ type: 'text' })
  currency: string;

  /** The fencing token: the number of times that a worker has claimed the run. */
  @Column({ type: 'integer', default: 0 })
  attempt: number;

  @Column({ name: 'worker_id', type: 'text', nullable: true })
  workerId: string | null;

  @Column({ name: 'claim_op', type: 'uuid', nullable: true })
  claimOp: string | null;

  @Column({ name: 'last_op', type: 'uuid', nullable: true })
  lastOp: string | null;

  @Column({ name: 'claimed_at', type: 'timestamptz', nullable: true })
  claimedAt: Date | null;

  /** The trigger has position 1 and is not stored in `run_steps`. */
  @Column({ name: 'step_n', type: 'integer', default: 1 })
  stepN: number;

  @Column({ type: 'integer', default: 0 })
  recoveries: number;

  /** If the run is suspended because its workspace is stopped, the time is `infinity`. */
  @Column({ name: 'wake_at', type: 'timestamptz', nullable: true })
  wakeAt: Date | null;

  /** The time since it last entered this status is not included. */
  @Column({ name: 'active_ms', type: 'bigint', default: 0 })
  activeMs: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;

  /** The run fails with `queue_expired` if no worker has begun it by this time. */
  @Column({ name: 'queue_deadline', type: 'timestamptz', nullable: true })
  queueDeadline: Date | null;

  /** They are copied to the run, so that a claim need not read the definition. */
  @Column({ name: 'concurrency_max', type: 'integer', nullable: true })
  concurrencyMax: number | null;

  @Column({ name: 'concurrency_key', type: 'text', nullable: true })
  concurrencyKey: string | null;

  @Column({ name: 'concurrency_max_per_key', type: 'integer', nullable: true })
  concurrencyMaxPerKey: number | null;

  /** The worker continues the trace of this span. */
  @Column({ type: 'text', nullable: true })
  traceparent: string | null;

  /** Null if the trace is complete. See run-retention.service.ts. */
  @Column({ name: 'trace_forgotten_at', type: 'timestamptz', nullable: true })
  traceForgottenAt: Date | null;

  /** Null for runs of an earlier release. */
  @Column({
    name: 'change_xid',
    type: 'bigint',
    select: false,
    nullable: true,
    default: () => 'run_machine.current_xid()',
  })
  changeXid?: string | null;
}
