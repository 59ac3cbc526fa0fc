import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What a sender has taken of one endpoint's deliveries in one go: it alone may send them until its lease is over.
 * Beside the deliveries, so that a claim writes one small row for all that it takes of an endpoint. Written by the
 * functions in sql/.
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

  /** When the lease is over. */
  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'webhook_claims_pk' })
  until: Date;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Those of which is not yet recorded what became of them. */
  @Column({ type: 'text', array: true })
  deliveries: string[];
}
