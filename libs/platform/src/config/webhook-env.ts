import { parseDuration } from '@app/kernel';
import type { EnvReader } from './env-reader.js';

/** Sending events to subscribers. */
export interface WebhookEnv {
  /** Endpoints that one workspace may have. */
  readonly maxWebhookEndpoints: number;
  /** Requests to endpoints that one worker process has under way at the same time. */
  readonly webhookConcurrency: number;
  /** For the whole of one attempt. */
  readonly webhookTimeoutMillis: number;
  /** What endpoints were sent is shown for so long, and can be sent again. */
  readonly webhookRetentionDays: number;
  /** Before each attempt, counted from the one before it. */
  readonly webhookRetryMillis: readonly number[];
}

/** The schedule of Standard Webhooks: at once, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
const WEBHOOK_RETRY_MILLIS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1_000);

export function readWebhooks(read: EnvReader): WebhookEnv {
  const waits = read
    .list(
      'WEBHOOK_RETRY_SCHEDULE',
      (entry) => parseDuration(entry) !== undefined,
      'durations such as 0s,5s,5m,2h, separated by commas',
    )
    .flatMap((entry) => parseDuration(entry) ?? []);
  return {
    maxWebhookEndpoints: read.integer('MAX_WEBHOOK_ENDPOINTS', { fallback: 100, min: 1, max: 100_000 }),
    webhookConcurrency: read.integer('WEBHOOK_CONCURRENCY', { fallback: 64, min: 1, max: 1_000 }),
    webhookTimeoutMillis: read.integer('WEBHOOK_TIMEOUT_MS', { fallback: 15_000, min: 100, max: 30_000 }),
    webhookRetryMillis: waits.length > 0 ? waits : WEBHOOK_RETRY_MILLIS,
    // A week at least: by then every delivery has been made or given up.
    webhookRetentionDays: read.integer('WEBHOOK_RETENTION_DAYS', { fallback: 30, min: 7, max: 3_650 }),
  };
}
