import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** That an event was decided, and how: the same one, arriving again, is answered from it. Written by sql/take_event.sql. */
@Entity('trigger_receipts')
@Index('trigger_receipts_expiry_ix', ['expiresAt'])
export class TriggerReceiptEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_receipts_pk' })
  agentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_receipts_pk' })
  key: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** What an event with the same key must have as well; null where the key alone says it. */
  @Column({ type: 'bytea', nullable: true })
  fingerprint: Buffer | null;

  /** Null: it was filtered. */
  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
