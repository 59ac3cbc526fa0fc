import type { JsonObject, JsonValue } from '@app/kernel';
import type { OperationEffect, OperationScope } from '@app/definition';
import { Column, Entity, PrimaryColumn } from 'typeorm';
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
 * State of a step. The following states are not final. All other states are final.
 * - `awaiting_approval`: the step waits for people.
 * - `ready`: the call was approved or reset, and may begin.
 * - `started`: the call is running.
 * - `interrupted`: the call was aborted or its worker was lost. The call may be repeated.
 * - `in_doubt`: the outcome of the call is unknown. The call must not be repeated.
 * - `waiting`: the step waits until `due_at`.
 */
export type StepState = (typeof STEP_STATES)[number];

/**
 * `retry`: a call is attempted again. `stopped`: an emergency stop interrupted the run. `resumed`: the run continues
 * after a stop.
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

/** The run also resumes from its steps. Only the functions in sql/ write it. */
@Entity('run_steps')
export class RunStepEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C' })
  runId: string;

  @PrimaryColumn({ type: 'integer' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** All attempts of a call have the same path. */
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

  @Column({ type: 'integer' })
  attempt: number;

  /** If the write is repeated, it creates no second step. */
  @Column({ type: 'uuid' })
  op: string;

  /**
   * Epoch of the workspace when the step began (see sql/active_epoch.sql). It is always odd: the epoch is even only
   * while the workspace is stopped, and a step that is recorded during a stop gets the previous epoch.
   */
  @Column({ type: 'bigint' })
  epoch: string;

  @Column({ type: 'jsonb', nullable: true })
  request: JsonObject | null;

  @Column({ type: 'jsonb', nullable: true })
  output: JsonValue;

  @Column({ type: 'jsonb', nullable: true })
  error: CallError | null;

  @Column({ type: 'jsonb', nullable: true })
  detail: JsonObject | null;

  /** Cost of a model turn in millionths of the run's currency. Null if no cost is counted. */
  @Column({ name: 'cost_micros', type: 'bigint', nullable: true })
  costMicros: string | null;

  @Column({ name: 'started_at', type: 'timestamptz', default: () => 'clock_timestamp()' })
  startedAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;
}
