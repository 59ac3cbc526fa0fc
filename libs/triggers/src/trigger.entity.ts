import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { TriggerType } from '@app/runs';

export type DeclaredTriggerType = Extract<TriggerType, 'webhook' | 'email.received' | 'schedule' | 'poll'>;

/** Only the functions in sql/ write this table. */
@Entity('triggers')
@ForeignKey('AgentEntity', ['workspaceId', 'agentId'], ['workspaceId', 'id'], { name: 'triggers_agent_fk' })
@Check('triggers_type_ck', `type in ('webhook', 'email.received', 'schedule', 'poll')`)
@Check('triggers_mailbox_ck', `(type = 'email.received') = (mailbox is not null)`)
@Check('triggers_schedule_ck', `(type = 'schedule') = (cron is not null)`)
@Check('triggers_due_ck', `due_at is null or type = 'schedule'`)
@Index('triggers_mailbox_ix', ['mailbox'], { where: 'mailbox is not null' })
@Index('triggers_due_ix', ['dueAt'], { where: 'due_at is not null' })
@Index('triggers_schedules_ix', ['workspaceId', 'agentId'], { where: `type = 'schedule'` })
export class TriggerEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'triggers_pk' })
  agentId: string;

  /** Unique within the agent. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'triggers_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'integer' })
  ordinal: number;

  @Column({ type: 'text' })
  type: DeclaredTriggerType;

  @Column({ type: 'text', collation: 'C', nullable: true })
  mailbox: string | null;

  /**
   * Cron expression with five fields. This column and the columns below, except `activeSince`, are set only for a
   * schedule. `timezone` is an IANA name.
   */
  @Column({ type: 'text', nullable: true })
  cron: string | null;

  @Column({ type: 'text', nullable: true })
  timezone: string | null;

  @Column({ type: 'text', nullable: true })
  overlap: 'skip' | 'queue' | 'allow' | null;

  @Column({ name: 'catch_up', type: 'text', nullable: true })
  catchUp: 'none' | 'last' | null;

  /**
   * For a schedule: fire times before this time count as missed, because the schedule did not exist yet, or was paused
   * or stopped. For an e-mail trigger: the time since which the trigger has had its mailbox.
   */
  @Column({ name: 'active_since', type: 'timestamptz', default: () => 'clock_timestamp()' })
  activeSince: Date;

  @Column({ name: 'fire_at', type: 'timestamptz', nullable: true })
  fireAt: Date | null;

  /**
   * Time at which a worker checks the schedule next. Null while the agent is not active. Also null after the schedule
   * became due in a stopped workspace, until the workspace is resumed.
   */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ name: 'last_run_id', type: 'text', collation: 'C', nullable: true })
  lastRunId: string | null;
}
