import { type RateLimitsConfig, rateLimitsConfig } from './rate-limits.config.js';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type RedisConfig, redisConfig } from '@app/platform/redis';
import { Global, Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RateLimits } from './rate-limits.js';

/** Each check costs money at the provider, so the limit cannot be turned off. */
const MODEL_CHECKS = 10;

/** If Redis is slow or unavailable, the process counts its own requests until Redis responds again. */
function connect(url: string, logger: Logger): Redis {
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

function openRateLimits(limits: RateLimitsConfig, { redisUrl, queuePrefix }: RedisConfig, logger: Logger): RateLimits {
  const redis = redisUrl !== undefined ? connect(redisUrl, logger) : undefined;
  return new RateLimits({
    limits: { ...limits, modelChecks: MODEL_CHECKS },
    keyPrefix: `{${queuePrefix}}:limit`,
    ...(redis && { redis }),
  });
}

@Global()
@Module({
  providers: [
    { provide: RateLimits, inject: [rateLimitsConfig.KEY, redisConfig.KEY, LOGGER], useFactory: openRateLimits },
  ],
  exports: [RateLimits],
})
export class RateLimitsModule {}
