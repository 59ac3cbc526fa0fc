import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The exact bytes (UTF-8) that every endpoint is sent about an event, at every attempt. */
@Entity('webhook_messages')
export class WebhookMessageEntity {
  @PrimaryColumn({ name: 'event_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'webhook_messages_pk' })
  eventId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** `{id, type, timestamp, workspace, data}` */
  @Column({ type: 'text' })
  body: string;
}
