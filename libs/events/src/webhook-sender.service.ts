import { randomInt } from 'node:crypto';
import { Clock } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { EgressClient, EgressError, type EgressResponse } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRecord, ClaimedDelivery } from './delivery-outbox.repository.js';
import { EndpointSecretsService } from './endpoint-secrets.service.js';
import { EndpointSigner } from './endpoint-signer.js';
import { EventViews, messageBody, messageHeaders } from './recorded-event.js';
import { nextAttemptIn, parseRetryAfter } from './retry-schedule.js';

const READ_BYTES = 4_096;
const SHOWN_BYTES = 1_024;
const GONE = 410;

export interface Attempt {
  record: AttemptRecord;
  isGone: boolean;
}

@Injectable()
export class WebhookSenderService {
  constructor(
    private readonly egress: EgressClient,
    private readonly secrets: EndpointSecretsService,
    private readonly views: EventViews,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
  ) {}

  signerFor(delivery: ClaimedDelivery): EndpointSigner {
    return new EndpointSigner(this.secrets, delivery);
  }

  /**
   * Any status other than 2xx is a failure; the rest of the response need not be readable. Redirects are not followed.
   * Failures are returned and not thrown. Returns undefined if the signal aborted the request, because it is then
   * unknown whether the message arrived.
   */
  async send(delivery: ClaimedDelivery, signer: EndpointSigner, signal: AbortSignal): Promise<Attempt | undefined> {
    const begunAt = this.clock.monotonicMillis();
    const timed = () => ({ id: delivery.id, latency_ms: Math.round(this.clock.monotonicMillis() - begunAt) });
    try {
      const answer = await this.post(delivery, signer, signal);
      return this.judge(delivery, answer, timed());
    } catch (error) {
      if (error instanceof EgressError && error.head)
        return this.judge(delivery, { ...error.head, body: Buffer.alloc(0) }, timed());
      if (signal.aborted) return undefined;
      const why =
        error instanceof EgressError ? `${error.reason}: ${error.message}` : 'The message could not be created.';
      return { record: { ...timed(), error: why, ...this.next(delivery) }, isGone: false };
    }
  }

  private post(delivery: ClaimedDelivery, signer: EndpointSigner, signal: AbortSignal): Promise<EgressResponse> {
    const { eventId: id, eventType: type, occurredAt: createdAt, workspaceId, snapshot, url } = delivery;
    const now = this.clock.now();
    const timestamp = Math.floor(now.getTime() / 1_000);
    // The same buffer is signed and sent, so the signature matches the sent bytes.
    const body = Buffer.from(messageBody(this.views, { id, type, createdAt, workspaceId, snapshot }));
    const timeoutMs = this.config.webhookTimeoutMillis;
    return this.egress.request({
      url,
      method: 'POST',
      headers: {
        ...messageHeaders(id),
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signer.sign({ id, timestamp, body }, now),
      },
      body,
      signal,
      timeoutMs,
      headersTimeoutMs: timeoutMs,
      maxResponseBytes: READ_BYTES,
      redirect: 'none',
    });
  }

  private judge(
    delivery: ClaimedDelivery,
    { status, body, headers }: Pick<EgressResponse, 'status' | 'body' | 'headers'>,
    timed: Pick<AttemptRecord, 'id' | 'latency_ms'>,
  ): Attempt {
    const record = { ...timed, response_status: status, response_excerpt: excerpt(body) };
    if (status >= 200 && status < 300) return { record: { ...record, outcome: 'delivered' }, isGone: false };
    if (status === GONE) return { record: { ...record, outcome: 'failed' }, isGone: true };
    const retryAfterMs = parseRetryAfter(headers['retry-after'], this.clock.now());
    return { record: { ...record, ...this.next(delivery, retryAfterMs) }, isGone: false };
  }

  private next({ attempts }: ClaimedDelivery, retryAfterMs?: number): Pick<AttemptRecord, 'outcome' | 'retry_in_ms'> {
    const failed = { attempts: attempts + 1, retryAfterMs, random: randomInt(0, 1_001) / 1_000 };
    const wait = nextAttemptIn(failed, this.config.webhookRetryMillis);
    return wait === undefined ? { outcome: 'failed' } : { outcome: 'retry', retry_in_ms: wait };
  }
}

/** Replaces NUL characters, which Postgres cannot store. */
function excerpt(body: Buffer): string {
  return body.subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
}
