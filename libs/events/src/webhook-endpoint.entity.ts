import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from './recorded-event.js';
import type { DisabledReason, EndpointStatus } from './webhook-status.js';

@Entity('webhook_endpoints')
export class WebhookEndpointEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text', default: '' })
  description: string;

  @Column({ type: 'text', array: true })
  events: EventType[];

  /** Events that concern no agent are always sent. */
  @Column({ type: 'text', array: true, nullable: true })
  agents: string[] | null;

  @Column({ type: 'text', default: 'enabled' })
  status: EndpointStatus;

  @Column({ name: 'disabled_reason', type: 'text', nullable: true })
  disabledReason: DisabledReason | null;

  @Column({ name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true })
  failingSince: Date | null;

  @Column({ type: 'bytea' })
  secret: Buffer;

  @Column({ name: 'previous_secret', type: 'bytea', nullable: true })
  previousSecret: Buffer | null;

  /** Until this time, messages are signed with the current and the previous secret. */
  @Column({ name: 'previous_secret_expires_at', type: 'timestamptz', precision: 3, nullable: true })
  previousSecretExpiresAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}
