import type { ErrorPlace } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TriggerType } from '@app/runs';
import type { TriggerOutcome } from './trigger-outcome.js';

/** Rows are never updated. */
@Entity('trigger_events')
export class TriggerEventEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'trigger_id', type: 'text', collation: 'C' })
  triggerId: string;

  @Column({ type: 'text' })
  type: TriggerType;

  @Column({ type: 'text' })
  outcome: TriggerOutcome;

  @Column({ type: 'text', nullable: true })
  reason: string | null;

  @Column({ type: 'jsonb', nullable: true })
  errors: ErrorPlace[] | null;

  @Column({ type: 'integer', nullable: true })
  version: number | null;

  /** For a repeated event (`duplicate`), the run that the first arrival started. */
  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  /** See `EventIdentity`. If null, a repeated event is not recognised. */
  @Column({ type: 'text', nullable: true })
  key: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
