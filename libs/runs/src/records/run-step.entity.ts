import type { JsonObject, JsonValue } from '@app/kernel';
import type { OperationEffect, OperationScope } from '@app/definition';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { NoteType } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';

export const STEP_STATES = [
  'awaiting_approval',
  'ready',
  'started',
  'interrupted',
  'in_doubt',
  'succeeded',
  'failed',
  'denied',
  'rejected',
  'simulated',
  'cancelled',
  'waiting',
] as const;

/**
 * `ready`: approved, or reset so that its call can begin. `started`: running. `interrupted`: the call was aborted or
 * lost its worker, and may be repeated. `in_doubt`: the outcome of the call is unknown, and the call must not be
 * repeated. `waiting`: waits until `due_at`. All states except these and `awaiting_approval` are final.
 */
export type StepState = (typeof STEP_STATES)[number];

/**
 * `retry`: the next step is another attempt of a call. `stopped`: an emergency stop interrupted the run. `resumed`: the
 * run continues.
 */
export type StepType =
  | 'tool_call'
  | 'model_call'
  | 'approval'
  | 'in_doubt'
  | 'wait'
  | 'code'
  | 'retry'
  | 'stopped'
  | 'resumed'
  | 'cancelled'
  | NoteType;

/** One step of a run's trace. The run also resumes from these records. Written by the functions in sql/. */
@Entity('run_steps')
@Check('run_steps_row_ck', 'run_machine.is_sound_step(n, effect, state, due_at is not null, ended_at is not null)')
@Index('run_steps_in_flight_uq', ['workspaceId', 'runId', 'path'], { unique: true, where: `state = 'started'` })
@Index('run_steps_model_calls_ix', ['workspaceId', 'runId'], { where: `type = 'model_call'` })
export class RunStepEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'run_steps_pk' })
  runId: string;

  /** Position in the trace. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'run_steps_pk' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Identifies the logical call within the run. All attempts of a call have the same path. */
  @Column({ type: 'text', collation: 'C' })
  path: string;

  @Column({ type: 'integer', default: 1 })
  try: number;

  @Column({ type: 'text' })
  type: StepType;

  @Column({ type: 'text', nullable: true })
  tool: string | null;

  @Column({ type: 'text', nullable: true })
  scope: OperationScope | null;

  @Column({ type: 'text', nullable: true })
  effect: OperationEffect | null;

  @Column({ type: 'text' })
  state: StepState;

  /** The run attempt (number of the claim) in which the step began. */
  @Column({ type: 'integer' })
  attempt: number;

  /** The write that created the step. If the write is repeated, it creates no second step. */
  @Column({ type: 'uuid' })
  op: string;

  /**
   * The epoch of the workspace when the step began (see sql/active_epoch.sql). It is always odd, because epochs are
   * even only while the workspace is stopped.
   */
  @Column({ type: 'bigint' })
  epoch: string;

  @Column({ type: 'jsonb', nullable: true })
  request: JsonObject | null;

  @Column({ type: 'jsonb', nullable: true })
  output: JsonValue;

  @Column({ type: 'jsonb', nullable: true })
  error: CallError | null;

  /** Further fields of the trace step, with their names in the API. */
  @Column({ type: 'jsonb', nullable: true })
  detail: JsonObject | null;

  /** For a turn of a model, its cost in millionths of the run's currency. Null if no cost is counted. */
  @Column({ name: 'cost_micros', type: 'bigint', nullable: true })
  costMicros: string | null;

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'clock_timestamp()' })
  startedAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  /** Time at which a waiting step ends. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;
}
