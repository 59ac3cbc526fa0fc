import type { Logger } from '@app/platform/observability';
import type { RedisConfig } from '@app/platform/redis';
import type { Redis } from 'ioredis';
import type { RateLimitsConfig } from './rate-limits.config.js';
import { RateLimits } from './rate-limits.js';

/** Each check costs money at the provider, so the limit cannot be turned off. */
const MODEL_CHECKS = 10;

/** If Redis is slow or unavailable, the process counts its own requests until Redis responds again. */
async function connect(url: string, logger: Logger): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 100,
    // All commands of one event-loop turn are sent in one message.
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 8), 1_000),
  });
  redis.on('error', (err: unknown) => logger.debug({ err }, 'rate limits: Redis connection failed'));
  return redis;
}

/** Without a Redis, its client is not loaded. */
export async function openRateLimits(
  limits: RateLimitsConfig,
  { redisUrl, queuePrefix }: RedisConfig,
  logger: Logger,
): Promise<RateLimits> {
  const redis = redisUrl !== undefined ? await connect(redisUrl, logger) : undefined;
  return new RateLimits({
    limits: { ...limits, modelChecks: MODEL_CHECKS },
    keyPrefix: `{${queuePrefix}}:limit`,
    ...(redis && { redis }),
  });
}
