import type { JsonObject } from '@app/kernel';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TriggerEntity } from '../../trigger.entity.js';

/**
 * A folder on an IMAP server that a trigger watches, with the worker that watches it and the last mail that was read.
 */
@Entity('mailbox_watches')
@ForeignKey(() => TriggerEntity, ['agentId', 'triggerId'], ['agentId', 'id'], {
  name: 'mailbox_watches_trigger_fk',
  onDelete: 'CASCADE',
})
@Check('mailbox_watches_cursor_ck', '(uid_validity is null) = (last_uid is null)')
@Check('mailbox_watches_lease_ck', '(worker is null) = (lease_until is null)')
@Index('mailbox_watches_due_ix', ['dueAt'])
export class MailboxWatchEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'mailbox_watches_pk' })
  agentId: string;

  @PrimaryColumn({ name: 'trigger_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'mailbox_watches_pk' })
  triggerId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** The account as the definition declares it. The password is a reference to a secret. */
  @Column({ type: 'jsonb' })
  account: JsonObject;

  /**
   * UIDVALIDITY of the folder for which `lastUid` is valid (RFC 3501). Null until the folder is opened for the first
   * time.
   */
  @Column({ name: 'uid_validity', type: 'bigint', nullable: true })
  uidValidity: string | null;

  /** All mails up to this uid have been processed. */
  @Column({ name: 'last_uid', type: 'bigint', nullable: true })
  lastUid: string | null;

  /** Mails that the server received before this time are ignored. */
  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  since: Date;

  /** Time of the next attempt after a failure. */
  @Column({ name: 'due_at', type: 'timestamptz', default: () => 'clock_timestamp()' })
  dueAt: Date;

  @Column({ type: 'text', collation: 'C', nullable: true })
  worker: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'integer', default: 0 })
  failures: number;

  /** The reason why the folder cannot be watched. Null if the folder can be watched. */
  @Column({ type: 'text', nullable: true })
  error: string | null;
}
