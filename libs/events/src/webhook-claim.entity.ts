import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The deliveries of one endpoint that a sender has claimed together. Until `until`, only this sender may send them.
 * Claims have a separate table, so that a claim writes one small row per endpoint. Only the functions in sql/ write
 * this table.
 */
@Entity('webhook_claims')
export class WebhookClaimEntity {
  @PrimaryColumn({
    name: 'endpoint_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'webhook_claims_pk',
  })
  endpointId: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'webhook_claims_pk' })
  sender: string;

  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'webhook_claims_pk' })
  until: Date;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Claimed deliveries whose result is not recorded yet. */
  @Column({ type: 'text', array: true })
  deliveries: string[];
}
