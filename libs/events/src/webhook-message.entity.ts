import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** It is the same for each endpoint and each attempt. */
@Entity('webhook_messages')
export class WebhookMessageEntity {
  @PrimaryColumn({ name: 'event_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'webhook_messages_pk' })
  eventId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3 })
  occurredAt: Date;

  /** Redacted state of the subject as of the commit that recorded the event. */
  @Column({ type: 'json', nullable: true })
  snapshot: JsonObject | null;
}
