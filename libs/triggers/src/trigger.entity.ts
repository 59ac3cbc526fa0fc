import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TriggerType } from '@app/runs';

export type DeclaredTriggerType = Extract<TriggerType, 'webhook' | 'email.received' | 'schedule' | 'poll'>;

/** Only the functions in sql/ write this table. */
@Entity('triggers')
export class TriggerEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'integer' })
  ordinal: number;

  @Column({ type: 'text' })
  type: DeclaredTriggerType;

  @Column({ type: 'text', collation: 'C', nullable: true })
  mailbox: string | null;

  /** Five fields. This column and those below, except `activeSince`, are set only for a schedule. */
  @Column({ type: 'text', nullable: true })
  cron: string | null;

  @Column({ type: 'text', nullable: true })
  timezone: string | null;

  @Column({ type: 'text', nullable: true })
  overlap: 'skip' | 'queue' | 'allow' | null;

  @Column({ name: 'catch_up', type: 'text', nullable: true })
  catchUp: 'none' | 'last' | null;

  /**
   * For a schedule: fire times before this time count as missed. For an e-mail trigger: the time since which the trigger
   * has had its mailbox.
   */
  @Column({ name: 'active_since', type: 'timestamptz', default: () => 'clock_timestamp()' })
  activeSince: Date;

  @Column({ name: 'fire_at', type: 'timestamptz', nullable: true })
  fireAt: Date | null;

  /** Null while the agent is not active, and from a due time in a stopped workspace until the workspace is resumed. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ name: 'last_run_id', type: 'text', collation: 'C', nullable: true })
  lastRunId: string | null;
}
