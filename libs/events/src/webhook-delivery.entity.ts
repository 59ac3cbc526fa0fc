import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from './recorded-event.js';
import type { DeliveryStatus } from './webhook-status.js';

/** The trigger in sql/owe_deliveries.sql creates it, and the functions in sql/ change it. */
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'endpoint_id', type: 'text', collation: 'C' })
  endpointId: string;

  @Column({ name: 'event_id', type: 'text', collation: 'C' })
  eventId: string;

  @Column({ name: 'event_type', type: 'text' })
  eventType: EventType;

  @Column({ type: 'text', default: 'pending' })
  status: DeliveryStatus;

  @Column({ type: 'integer', default: 0 })
  attempts: number;

  @Column({ name: 'next_at', type: 'timestamptz', nullable: true, default: () => 'clock_timestamp()' })
  nextAt: Date | null;

  /** Not a column: the repository reads it from the table webhook_claims. */
  claimedBy: string | null = null;

  @Column({ name: 'last_attempt_at', type: 'timestamptz', precision: 3, nullable: true })
  lastAttemptAt: Date | null;

  @Column({ name: 'response_status', type: 'integer', nullable: true })
  responseStatus: number | null;

  @Column({ name: 'response_excerpt', type: 'text', nullable: true })
  responseExcerpt: string | null;

  @Column({ name: 'latency_ms', type: 'integer', nullable: true })
  latencyMs: number | null;

  /** Why there was no response: the request failed, or the message could not be created. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
