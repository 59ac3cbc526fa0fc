import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The key of a processed event, so that a repeated event starts no second run. Written only by functions in sql/. */
@Entity('trigger_receipts')
@Index('trigger_receipts_expiry_ix', ['expiresAt'])
export class TriggerReceiptEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_receipts_pk' })
  agentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'trigger_receipts_pk' })
  key: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** If not null, a repeated event must have the same fingerprint. If null, the key alone identifies the event. */
  @Column({ type: 'bytea', nullable: true })
  fingerprint: Buffer | null;

  /** The run that the event started. Null if the event started no run. */
  @Column({ name: 'run_id', type: 'text', collation: 'C', nullable: true })
  runId: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
