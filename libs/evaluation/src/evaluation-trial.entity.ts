import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { TrialGrade } from './grade.js';
import type { Judgement } from './judgement.js';
import type { TrialStatus } from './trial-status.js';

/** One run of one case, or the repetition of one recorded run, in an evaluation. */
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

  /** Index of the case in the definition. Null for a recorded run. */
  @Column({ name: 'case_n', type: 'integer', nullable: true })
  caseN: number | null;

  @Column({ name: 'case_name', type: 'text' })
  caseName: string;

  /** Number of the trial among the trials of the same case, starting at 1. */
  @Column({ type: 'integer' })
  trial: number;

  /** True if the trial executes the production version, for comparison. */
  @Column({ type: 'boolean' })
  baseline: boolean;

  /** The recorded run that this trial repeats. */
  @Column({ name: 'source_run', type: 'text', collation: 'C', nullable: true })
  sourceRun: string | null;

  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  @Column({ type: 'text', default: 'pending' })
  status: TrialStatus;

  /** Active time of the run in milliseconds. */
  @Column({ name: 'duration_ms', type: 'bigint', nullable: true })
  durationMs: string | null;

  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  @Column({ type: 'jsonb', nullable: true })
  grade: TrialGrade | null;

  /** Judgements of the judge model. Null until it has been asked, empty if no assertion needs it. */
  @Column({ type: 'jsonb', nullable: true })
  judgements: Judgement[] | null;

  /** Cost of the judge model in millionths of the currency of the evaluation. It is not part of the cost of the run. */
  @Column({ name: 'judge_cost_micros', type: 'bigint', default: 0 })
  judgeCostMicros: string;

  /** Until this time by the clock of the database, one process may judge this trial. */
  @Column({ name: 'judged_until', type: 'timestamptz', nullable: true })
  judgedUntil: Date | null;
}
