import type { JsonObject } from '@app/kernel';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TriggerEntity } from '../trigger.entity.js';

/** A trigger that polls: when it polls next, which worker polls now, and the outcome of the latest poll. */
@Entity('poll_watches')
@ForeignKey(() => TriggerEntity, ['agentId', 'triggerId'], ['agentId', 'id'], {
  name: 'poll_watches_trigger_fk',
  onDelete: 'CASCADE',
})
@Check('poll_watches_lease_ck', '(worker is null) = (lease_until is null)')
@Index('poll_watches_due_ix', ['dueAt'], { where: 'due_at is not null' })
export class PollWatchEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'poll_watches_pk' })
  agentId: string;

  @PrimaryColumn({ name: 'trigger_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'poll_watches_pk' })
  triggerId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** The trigger as the definition declares it. */
  @Column({ type: 'jsonb' })
  declared: JsonObject;

  /**
   * Fingerprint of three settings of the trigger (tool, `items`, `key`) at the first poll. Null before the first poll.
   * If a promotion changes one of these settings, the next poll counts as the first poll and replaces the fingerprint.
   */
  @Column({ type: 'text', nullable: true })
  remembered: string | null;

  /** Time at which the last successful poll began. */
  @Column({ name: 'last_at', type: 'timestamptz', nullable: true })
  lastAt: Date | null;

  /**
   * Time of the next poll. Null while the agent is not active. Also null after the poll became due in a stopped
   * workspace, until the workspace is resumed.
   */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  worker: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'text', nullable: true })
  error: string | null;
}
