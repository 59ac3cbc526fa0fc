import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * `open`: the child run has not ended. `ended`: the child run has ended, but its parent run has not received the
 * result. The last state: the parent run has received the result, or no longer needs it.
 */
export const CHILD_STATES = ['open', 'ended', 'told'] as const;
export type ChildState = (typeof CHILD_STATES)[number];

/** The relation between a run and the call of another run that started it. Only the functions in sql/ write it. */
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

  /** Key of the call that started the run. All attempts of the call have the same key, so they start only one run. */
  @Column({ name: 'call_key', type: 'text' })
  callKey: string;

  /** Number of runs above this run in its chain of parents. It is 1 if no run started the parent. */
  @Column({ type: 'integer' })
  depth: number;

  /** Budget of the calling run including its child runs, in millionths of its currency. Null if there is no limit. */
  @Column({ name: 'caller_budget_micros', type: 'bigint', nullable: true })
  callerBudgetMicros: string | null;

  @Column({ type: 'text', default: 'open' })
  state: ChildState;
}
