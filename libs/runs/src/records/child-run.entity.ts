import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * 'open': the child run has not ended. 'ended': the child run has ended, but its parent does not have the result yet.
 * 'told': the parent has the result, or no longer needs it.
 */
export const CHILD_STATES = ['open', 'ended', 'told'] as const;
export type ChildState = (typeof CHILD_STATES)[number];

/** A run that a call of another run started. Only the functions in sql/ write it. */
@Entity('child_runs')
@Unique('child_runs_call_uq', ['parentRunId', 'callKey'])
@Check('child_runs_state_ck', `state in ('open', 'ended', 'told')`)
@Index('child_runs_untold_ix', ['state', 'runId'], { where: `state <> 'told'` })
export class ChildRunEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'child_runs_pk' })
  runId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'parent_run_id', type: 'text', collation: 'C' })
  parentRunId: string;

  /** The key of the call. It is the same for all attempts of the call, so that they start only one run. */
  @Column({ name: 'call_key', type: 'text' })
  callKey: string;

  /** 1 if the parent was not started by a run. */
  @Column({ type: 'integer' })
  depth: number;

  /**
   * Budget of the caller including its child runs, in millionths of the caller's currency. Null if there is no limit.
   */
  @Column({ name: 'caller_budget_micros', type: 'bigint', nullable: true })
  callerBudgetMicros: string | null;

  @Column({ type: 'text', default: 'open' })
  state: ChildState;
}
