import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { EvaluationStatus } from '../records/evaluation-status.js';
import type { GateVerdict } from './promotion-gate.js';

/** A case without a result is counted in `total` only. */
export type CaseCounts = {
  total: number;
  passed: number;
  failed: number;
  errored: number;
  inconclusive: number;
};

/** The value of a file. */
type FixtureFile = { file: string; filename: string; content_type: string; bytes: number; sha256: string };

@Entity('evaluations')
export class EvaluationEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @VirtualColumn({
    type: 'text',
    query: (evaluation) => `select a.name from agents a where a.id = ${evaluation}.agent_id`,
  })
  agentName: string;

  @Column({ type: 'integer' })
  version: number;

  /** Null if the gate does not compare the versions. */
  @Column({ name: 'baseline_version', type: 'integer', nullable: true })
  baselineVersion: number | null;

  @Column({ type: 'text', default: 'queued' })
  status: EvaluationStatus;

  @Column({ type: 'jsonb', default: {} })
  cases: CaseCounts;

  /** The files that the cases use, by the names of their fixtures. */
  @Column({ type: 'jsonb', default: {} })
  fixtures: Record<string, FixtureFile>;

  /** Share of graded trials that passed, 0 to 1. */
  @Column({ name: 'pass_rate', type: 'double precision', nullable: true })
  passRate: number | null;

  /** One-sided Wilson lower bound of the pass rate. */
  @Column({ name: 'confidence_low', type: 'double precision', nullable: true })
  confidenceLow: number | null;

  /** The verdict of the promotion gate. Null until the evaluation has finished. */
  @Column({ type: 'jsonb', nullable: true })
  gate: GateVerdict | null;

  @Column({ name: 'cost_micros', type: 'bigint', default: 0 })
  costMicros: string;

  @Column({ type: 'text' })
  currency: string;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;

  /**
   * True if no work remains: either all cases are started and graded, or the evaluation ended early and its started
   * runs are cancelled.
   */
  @Column({ type: 'boolean', default: false })
  settled: boolean;

  /** Time at which a worker last processed the evaluation. Until `settled`, workers process it about every second. */
  @Column({ name: 'looked_at', type: 'timestamptz', default: () => 'clock_timestamp()' })
  lookedAt: Date;
}

export interface EvaluatedVersion {
  workspaceId: string;
  agentId: string;
  version: number;
}

export type NewEvaluation = EvaluatedVersion &
  Pick<EvaluationEntity, 'id' | 'baselineVersion' | 'cases' | 'fixtures' | 'currency' | 'createdBy'>;

export type EvaluationChange = Partial<Pick<EvaluationEntity, 'status' | 'settled'>>;

export type EvaluationOutcome = Pick<
  EvaluationEntity,
  'status' | 'cases' | 'passRate' | 'confidenceLow' | 'gate' | 'costMicros' | 'settled'
>;
