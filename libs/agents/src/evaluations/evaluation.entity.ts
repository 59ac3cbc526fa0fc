import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AgentEntity } from '../records/agent.entity.js';
import type { EvaluationStatus } from '../records/evaluation-status.js';
import type { GateVerdict } from './promotion-gate.js';

/** How many cases there are and what became of them; a case without a result yet is in none of the others. */
export type CaseCounts = {
  total: number;
  passed: number;
  failed: number;
  errored: number;
  inconclusive: number;
};

/** One test of a version against its evaluation set. */
@Entity('evaluations')
@ForeignKey(() => AgentEntity, ['workspaceId', 'agentId'], ['workspaceId', 'id'], { name: 'evaluations_agent_fk' })
@Check(
  'evaluations_status_ck',
  `status in ('queued', 'running', 'passed', 'failed', 'inconclusive', 'errored', 'cancelled')`,
)
@Check('evaluations_end_ck', `(status in ('queued', 'running')) = (ended_at is null)`)
@Check('evaluations_settled_ck', 'not settled or ended_at is not null')
@Index('evaluations_version_ix', ['agentId', 'version', 'id'])
@Index('evaluations_open_uq', ['agentId', 'version'], { unique: true, where: 'ended_at is null' })
@Index('evaluations_due_ix', ['lookedAt'], { where: 'not settled' })
export class EvaluationEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'evaluations_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @Column({ type: 'integer' })
  version: number;

  /** The production version that the same cases were run with, where the gate compares the two. */
  @Column({ name: 'baseline_version', type: 'integer', nullable: true })
  baselineVersion: number | null;

  @Column({ type: 'text', default: 'queued' })
  status: EvaluationStatus;

  @Column({ type: 'jsonb', default: {} })
  cases: CaseCounts;

  /** Of the trials that could be graded, the share that passed. */
  @Column({ name: 'pass_rate', type: 'double precision', nullable: true })
  passRate: number | null;

  /** The one-sided Wilson lower bound of it. */
  @Column({ name: 'confidence_low', type: 'double precision', nullable: true })
  confidenceLow: number | null;

  /** Null before the end. */
  @Column({ type: 'jsonb', nullable: true })
  gate: GateVerdict | null;

  /** Of all its runs, those of the baseline included; millionths of the currency's unit. */
  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  @Column({ type: 'text' })
  currency: string;

  /** E-mail address of the member. */
  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;

  /** False while there is something left to do for it: starting, grading, or cancelling what was started. */
  @Column({ type: 'boolean', default: false })
  settled: boolean;

  /** When somebody last saw to it; what nobody sees to for a while is due. */
  @Column({ name: 'looked_at', type: 'timestamptz', default: () => 'clock_timestamp()' })
  lookedAt: Date;
}
