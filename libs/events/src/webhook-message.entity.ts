import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What every endpoint is sent about an event, at every attempt: a snapshot that event.view.ts renders. */
@Entity('webhook_messages')
export class WebhookMessageEntity {
  @PrimaryColumn({ name: 'event_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'webhook_messages_pk' })
  eventId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Of the event. Null where `body` is set. */
  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3, nullable: true })
  occurredAt: Date | null;

  /** What the event is about, redacted, as of the commit that caused the event. Null where `body` is set. */
  @Column({ type: 'json', nullable: true })
  snapshot: JsonObject | null;

  /** The rendered message, where the previous release rendered it when it recorded the event. */
  @Column({ type: 'text', nullable: true })
  body: string | null;
}
