import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { type DueWork, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { EventType } from './recorded-event.js';

export interface ClaimedDelivery {
  id: string;
  workspaceId: string;
  endpointId: string;
  eventId: string;
  attempts: number;
  eventType: EventType;
  occurredAt: Date;
  url: string;
  snapshot: JsonObject | null;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretExpiresAt: Date | null;
  /** Older secrets that are still valid, sealed, in base64. */
  formerSecrets: { sealed: string; expires_at: string }[] | null;
}

/** `returned`: the delivery was not sent and is due again at once. */
export interface AttemptRecord {
  id: string;
  outcome: 'delivered' | 'retry' | 'failed' | 'returned';
  retry_in_ms?: number;
  response_status?: number;
  response_excerpt?: string;
  latency_ms?: number;
  error?: string;
}

export interface ClaimSettings {
  limit: number;
  leaseMillis: number;
  inFlight: number;
  /** Maximum number of deliveries of an endpoint that a sender may claim while no other sender has claims for it. */
  depth: number;
}

export const DUE_DELIVERIES: DueWork = {
  name: 'deliveries',
  isDue: `exists (select from events.waiting_endpoints() w
      left join webhook_endpoints e on e.id = w.id and e.status = 'enabled'
    where e.id is null or exists (select from webhook_deliveries d
      where d.endpoint_id = w.id and d.status = 'pending' and d.next_at <= statement_timestamp()))`,
};

const CLAIM: Statement = {
  name: 'webhooks_claim',
  text: `select id, workspace_id as "workspaceId", endpoint_id as "endpointId", event_id as "eventId", event_type as "eventType",
      occurred_at as "occurredAt", snapshot, attempts, url, secret,
      previous_secret as "previousSecret", previous_secret_expires_at as "previousSecretExpiresAt",
      case when previous_secret is not null then (
        select json_agg(json_build_object('sealed', encode(f.sealed, 'base64'), 'expires_at', f.expires_at) order by f.n desc)
        from former_secrets f where f.owner_id = endpoint_id and f.expires_at > clock_timestamp()) end as "formerSecrets"
    from events.claim_deliveries($1, $2, $3, $4, $5)`,
};
const RECORD: Statement = {
  name: 'webhooks_record',
  text: `select workspace_id as "workspaceId", endpoint_id as "endpointId"
    from events.record_attempts($1, $2, $3 * interval '1 millisecond')`,
};
const PURGE: Statement = { name: 'webhooks_purge', text: 'select events.purge_messages($1, $2) as purged' };
const CANCEL: Statement = { name: 'webhooks_cancel_unwanted', text: 'select events.cancel_unwanted($1)' };

/** Each method costs one round trip and one commit. */
@Injectable()
export class DeliveryOutboxRepository {
  private readonly senderId = randomUUID();

  constructor(private readonly statements: Statements) {}

  claim({ limit, leaseMillis, inFlight, depth }: ClaimSettings): Promise<ClaimedDelivery[]> {
    return this.statements.query<ClaimedDelivery>(CLAIM, [this.senderId, limit, leaseMillis, inFlight, depth]);
  }

  /**
   * Ignores deliveries that are no longer claimed by this process. Returns the endpoints at which an attempt failed, if
   * they have been failing for longer than `patienceMillis`.
   */
  record(
    records: readonly AttemptRecord[],
    patienceMillis: number,
  ): Promise<{ workspaceId: string; endpointId: string }[]> {
    return this.statements.query(RECORD, [this.senderId, JSON.stringify(records), patienceMillis]);
  }

  /** Keeps messages with pending deliveries. */
  async purgeMessages(beforeEventId: string, limit: number): Promise<number> {
    const [row] = await this.statements.query<{ purged: number }>(PURGE, [beforeEventId, limit]);
    return row!.purged;
  }

  async cancelUnwanted(limit: number): Promise<void> {
    await this.statements.query(CANCEL, [limit]);
  }
}
