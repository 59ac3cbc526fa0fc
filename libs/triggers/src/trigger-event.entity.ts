import type { ErrorPlace } from '@app/kernel';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TriggerType } from '@app/runs';
import type { TriggerOutcome } from './trigger-outcome.js';

/** Rows are never updated. */
@Entity('trigger_events')
@Check(
  'trigger_events_outcome_ck',
  `outcome in ('started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error')`,
)
@Check('trigger_events_run_ck', `outcome <> 'started' or run_id is not null`)
@Index('trigger_events_trigger_ix', ['agentId', 'triggerId', 'id'])
@Index('trigger_events_outcome_ix', ['agentId', 'outcome', 'id'])
@Index('trigger_events_failed_ix', ['agentId', 'triggerId', 'id'], { where: `outcome in ('refused', 'error')` })
export class TriggerEventEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_events_pk' })
  agentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_events_pk' })
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

  /** The key that identifies the event, see `EventIdentity`. If null, a repeated event is not recognised. */
  @Column({ type: 'text', nullable: true })
  key: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
