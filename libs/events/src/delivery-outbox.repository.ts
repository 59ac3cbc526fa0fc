import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { EventType } from './event-types.js';

/** A delivery that a sender may send now, with all that it needs. */
export interface ClaimedDelivery {
  id: string;
  workspaceId: string;
  endpointId: string;
  /** The `webhook-id`. */
  eventId: string;
  /** Those made before. */
  attempts: number;
  eventType: EventType;
  occurredAt: Date;
  url: string;
  /** What the message is rendered from; null where `body` is set. */
  snapshot: JsonObject | null;
  /** Set where the previous release rendered the message. */
  body: string | null;
  /** Sealed. */
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretExpiresAt: Date | null;
  /** Those before that are still valid: sealed, in base64. Null: none. */
  formerSecrets: { sealed: string; expires_at: string }[] | null;
}

/** What became of a delivery that was claimed. `returned`: it was not sent. */
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
  /** At most so many. */
  limit: number;
  /** The sender is taken for dead after this. */
  leaseMillis: number;
  /** Requests to one endpoint at the same time, by all senders together. */
  inFlight: number;
  /** Deliveries of one endpoint that a sender may have at the same time. */
  depth: number;
}

const CLAIM: Statement = {
  name: 'webhooks_claim',
  text: `select id, workspace_id as "workspaceId", endpoint_id as "endpointId", event_id as "eventId", event_type as "eventType",
      occurred_at as "occurredAt", snapshot, body, attempts, url, secret,
      previous_secret as "previousSecret", previous_secret_expires_at as "previousSecretExpiresAt",
      case when previous_secret is not null then (
        select jsonb_agg(jsonb_build_object('sealed', encode(f.sealed, 'base64'), 'expires_at', f.expires_at) order by f.n desc)
        from former_secrets f where f.owner_id = endpoint_id and f.expires_at > clock_timestamp()) end as "formerSecrets"
    from events.claim_due_deliveries($1, $2, $3, $4, $5)`,
};
const RECORD: Statement = {
  name: 'webhooks_record',
  text: `select workspace_id as "workspaceId", endpoint_id as "endpointId"
    from events.record_attempts($1, $2, $3 * interval '1 millisecond')`,
};
const FORGET: Statement = { name: 'webhooks_forget', text: 'select events.purge_messages($1, $2) as forgotten' };
const CANCEL: Statement = { name: 'webhooks_cancel_unwanted', text: 'select events.cancel_unwanted($1)' };

/** What this process, as a sender, asks of the deliveries of all workspaces: one round trip and one commit each. */
@Injectable()
export class DeliveryOutbox {
  /** Names this process as a sender. */
  private readonly senderId = randomUUID();

  constructor(private readonly statements: Statements) {}

  /** Due deliveries, which are this process's for a while. */
  claim({ limit, leaseMillis, inFlight, depth }: ClaimSettings): Promise<ClaimedDelivery[]> {
    return this.statements.query<ClaimedDelivery>(CLAIM, [this.senderId, limit, leaseMillis, inFlight, depth]);
  }

  /**
   * Writes down what became of deliveries; of those that are another's meanwhile nothing. Answers the endpoints that
   * have failed for longer than `patienceMillis` and failed again.
   */
  record(
    records: readonly AttemptRecord[],
    patienceMillis: number,
  ): Promise<{ workspaceId: string; endpointId: string }[]> {
    return this.statements.query(RECORD, [this.senderId, JSON.stringify(records), patienceMillis]);
  }

  /**
   * Forgets up to `limit` messages about events before this event id, unless they are still to be sent; how many it
   * found.
   */
  async forget(beforeEventId: string, limit: number): Promise<number> {
    const [row] = await this.statements.query<{ forgotten: number }>(FORGET, [beforeEventId, limit]);
    return row!.forgotten;
  }

  /** Gives up to `limit` deliveries up that nobody is to be sent any more. */
  async cancelUnwanted(limit: number): Promise<void> {
    await this.statements.query(CANCEL, [limit]);
  }
}
