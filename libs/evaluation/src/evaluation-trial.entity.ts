import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Judgement, TrialGrade } from './grade.js';
import type { TrialStatus } from './trial-status.js';

/** One run of an evaluation. The run executes a case, or repeats a recorded run. */
@Entity('evaluation_trials')
export class EvaluationTrialEntity {
  @PrimaryColumn({ name: 'evaluation_id', type: 'text', collation: 'C' })
  evaluationId: string;

  @PrimaryColumn({ type: 'integer' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'case_n', type: 'integer', nullable: true })
  caseN: number | null;

  @Column({ name: 'case_name', type: 'text' })
  caseName: string;

  @Column({ type: 'integer' })
  trial: number;

  @Column({ type: 'boolean' })
  baseline: boolean;

  @Column({ name: 'source_run', type: 'text', collation: 'C', nullable: true })
  sourceRun: string | null;

  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  @Column({ type: 'text', default: 'pending' })
  status: TrialStatus;

  @Column({ name: 'duration_ms', type: 'bigint', nullable: true })
  durationMs: string | null;

  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  @Column({ type: 'jsonb', nullable: true })
  grade: TrialGrade | null;

  /** Null until the judge model was asked. Empty if no assertion needs a judgement. */
  @Column({ type: 'jsonb', nullable: true })
  judgements: Judgement[] | null;

  /** It is not part of the cost of the run. */
  @Column({ name: 'judge_cost_micros', type: 'bigint', default: 0 })
  judgeCostMicros: string;

  /**
   * A process has claimed the trial for judging until this time of the database clock. Null if no process has claimed
   * it.
   */
  @Column({ name: 'judged_until', type: 'timestamptz', nullable: true })
  judgedUntil: Date | null;
}
