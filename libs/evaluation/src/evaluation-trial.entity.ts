import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Judgement, TrialGrade } from './grade.js';
import type { TrialStatus } from './trial-status.js';

/** One run of an evaluation. The run executes a case, or repeats a recorded run. */
@Entity('evaluation_trials')
@ForeignKey('EvaluationEntity', ['evaluationId'], ['id'], { name: 'evaluation_trials_evaluation_fk' })
@Check(
  'evaluation_trials_status_ck',
  `status in ('pending', 'running', 'passed', 'failed', 'errored', 'inconclusive', 'cancelled')`,
)
@Check('evaluation_trials_case_ck', '(case_n is null) <> (source_run is null)')
@Check('evaluation_trials_run_ck', `status <> 'running' or run_id is not null`)
export class EvaluationTrialEntity {
  @PrimaryColumn({
    name: 'evaluation_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'evaluation_trials_pk',
  })
  evaluationId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'evaluation_trials_pk' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Index of the case in the definition. Null if the trial repeats a recorded run. */
  @Column({ name: 'case_n', type: 'integer', nullable: true })
  caseN: number | null;

  @Column({ name: 'case_name', type: 'text' })
  caseName: string;

  /** Number of the trial among the trials of the same case, starting at 1. */
  @Column({ type: 'integer' })
  trial: number;

  /** True if the trial executes the production version, with which the evaluated version is compared. */
  @Column({ type: 'boolean' })
  baseline: boolean;

  /** Id of the recorded run that this trial repeats. Null if the trial executes a case. */
  @Column({ name: 'source_run', type: 'text', collation: 'C', nullable: true })
  sourceRun: string | null;

  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  @Column({ type: 'text', default: 'pending' })
  status: TrialStatus;

  /** Time in milliseconds for which a worker executed the run, without the time for which the run waited. */
  @Column({ name: 'duration_ms', type: 'bigint', nullable: true })
  durationMs: string | null;

  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  @Column({ type: 'jsonb', nullable: true })
  grade: TrialGrade | null;

  /** Judgements of the judge model. Null until the judge model was asked. Empty if no assertion needs a judgement. */
  @Column({ type: 'jsonb', nullable: true })
  judgements: Judgement[] | null;

  /** Cost of the judge model in millionths of the currency of the evaluation. It is not part of the cost of the run. */
  @Column({ name: 'judge_cost_micros', type: 'bigint', default: 0 })
  judgeCostMicros: string;

  /**
   * A process has claimed the trial for judging until this time of the database clock. Null if no process has claimed
   * it.
   */
  @Column({ name: 'judged_until', type: 'timestamptz', nullable: true })
  judgedUntil: Date | null;
}
