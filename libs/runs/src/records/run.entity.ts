import type { JsonObject, JsonValue } from '@app/kernel';
import { Check, Column, Entity, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { RunError } from '../interpreter/run-error.js';
import type { RunMode, RunStatus, RunWaiting } from './run-status.js';

/**
 * output_truncated  a model stopped at its limit of output tokens.
 *
 * `step`: id of the step in the definition; null where the model drives the run. `n`: position in the trace.
 */
export type RunWarning = { code: 'output_truncated'; message: string; step: string | null; n: number };

/** One execution of one version of an agent. Written by the functions in sql/ and by nothing else. */
@Entity('runs')
@Index('runs_change_ix', ['workspaceId', 'changeXid', 'id'])
// One function for all of a row: see the migration of it.
@Check(
  'runs_row_ck',
  'run_machine.is_sound_run(mode, status, worker_id is not null, wake_at is not null, ended_at is not null)',
)
@Index('runs_replay_ix', ['replayOf', 'id'], { where: 'replay_of is not null' })
// Of an expression, (workspace_id, (error ->> 'code'), id), which this decorator cannot describe.
@Index('runs_error_ix', { synchronize: false })
@Index('runs_queued_ix', ['workspaceId', 'id'], { where: `status = 'queued'` })
@Index('runs_exceptional_ix', ['workspaceId', 'status', 'id'], {
  where: `status in ('waiting_approval', 'handed_off', 'failed', 'cancelled')`,
})
@Index('runs_due_ix', ['wakeAt'], { where: `status = 'queued'` })
@Index('runs_queue_deadline_ix', ['queueDeadline'], {
  where: `status = 'queued' and attempt = 0 and queue_deadline is not null`,
})
@Index('runs_concurrency_ix', ['agentId', 'concurrencyKey'], {
  where: 'ended_at is null and attempt > 0 and (concurrency_max is not null or concurrency_max_per_key is not null)',
})
@Index('runs_open_limited_ix', ['agentId'], {
  where: 'ended_at is null and (concurrency_max is not null or concurrency_max_per_key is not null)',
})
@Index('runs_held_ix', ['workspaceId', 'id'], { where: `status = 'queued' and wake_at = 'infinity'` })
@Index('runs_owner_ix', ['workerId'], { where: `status = 'running'` })
export class RunEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'runs_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  /** The present name of the agent. */
  @VirtualColumn({ type: 'text', query: (run) => `select a.name from agents a where a.id = ${run}.agent_id` })
  agentName: string;

  /** Null unless the run waits for something. The function is called only for runs that may wait. */
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

  /** E-mail address of the member whose key started the run; null for a run that a trigger started. */
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

  /** Whether retention leaves the run alone: it is the evidence of something that is kept. */
  @Column({ name: 'is_kept', type: 'boolean', default: false })
  isKept: boolean;

  /** What the run warns of, in the order of its trace. */
  @Column({ type: 'jsonb', default: [] })
  warnings: RunWarning[];

  /** Millionths of the currency's unit. */
  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  /** True: something that the run used has no known price, and is not part of the cost. */
  @Column({ name: 'cost_partial', type: 'boolean', default: false })
  costPartial: boolean;

  @Column({ type: 'text' })
  currency: string;

  /** The fencing token: how often the run has been claimed. */
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

  /** Position of the last step in the trace; the trigger is position 1 and has no row of its own. */
  @Column({ name: 'step_n', type: 'integer', default: 1 })
  stepN: number;

  @Column({ type: 'integer', default: 0 })
  recoveries: number;

  /** When a queued run is due; `infinity` while its workspace is stopped. */
  @Column({ name: 'wake_at', type: 'timestamptz', nullable: true })
  wakeAt: Date | null;

  /** Milliseconds spent running, up to the last time the run left `running`. */
  @Column({ name: 'active_ms', type: 'bigint', default: 0 })
  activeMs: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;

  /** When a run that no worker has begun fails as `queue_expired`. */
  @Column({ name: 'queue_deadline', type: 'timestamptz', nullable: true })
  queueDeadline: Date | null;

  /** The limits of its agent's definition, copied so that a claim need not know definitions. */
  @Column({ name: 'concurrency_max', type: 'integer', nullable: true })
  concurrencyMax: number | null;

  @Column({ name: 'concurrency_key', type: 'text', nullable: true })
  concurrencyKey: string | null;

  @Column({ name: 'concurrency_max_per_key', type: 'integer', nullable: true })
  concurrencyMaxPerKey: number | null;

  /**
   * The span that accepted the run (W3C Trace Context), continued by the worker; null while traces are not exported.
   */
  @Column({ type: 'text', nullable: true })
  traceparent: string | null;

  /** When most of its steps were purged (run-retention.service.ts). */
  @Column({ name: 'trace_forgotten_at', type: 'timestamptz', nullable: true })
  traceForgottenAt: Date | null;

  /** The transaction that created the run or last changed its status. Null for a run of an earlier release. */
  @Column({
    name: 'change_xid',
    type: 'bigint',
    select: false,
    nullable: true,
    default: () => 'run_machine.current_xid()',
  })
  changeXid?: string | null;
}
