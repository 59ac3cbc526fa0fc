import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * `requests` are counted by API key, `triggers` by agent, `failedAuthentication` by client address, `signIn` by client
 * and by member.
 */
export const RATE_LIMIT_NAMES = ['requests', 'triggers', 'failedAuthentication', 'signIn'] as const;
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number];

export const RATE_LIMIT_WINDOW_SECONDS = 60;

/** What remains of a limit in the current window. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetsIn: number;
}

export interface RateLimitSettings {
  /** How often in one window; 0 is without limit. */
  limits: Readonly<Record<RateLimitName, number>>;
  /** Leads the keys of the store. */
  keyPrefix: string;
  /** Counts for the whole fleet; without it this process counts for itself. */
  redis?: Redis;
}

type Limiter = RateLimiterMemory | RateLimiterRedis;

/** Fixed windows of a minute, each beginning with the first use. */
export class RateLimits {
  private readonly limiters: ReadonlyMap<RateLimitName, Limiter>;

  constructor(private readonly settings: RateLimitSettings) {
    const limited = RATE_LIMIT_NAMES.filter((name) => settings.limits[name] > 0);
    this.limiters = new Map(limited.map((name) => [name, limiterOf(name, settings)]));
  }

  /** Counts one use by `key`. Undefined where there is no limit. Never rejects. */
  async take(name: RateLimitName, key: string): Promise<Allowance | undefined> {
    const limiter = this.limiters.get(name);
    if (!limiter) return undefined;
    const limit = this.settings.limits[name];
    try {
      return { allowed: true, ...left(await limiter.consume(key), limit) };
    } catch (refusal) {
      // Any other error is a failure of both stores, which must not refuse requests.
      return refusal instanceof RateLimiterRes ? { allowed: false, ...left(refusal, limit) } : undefined;
    }
  }

  /** Takes one use by `key` back. Never rejects. */
  async giveBack(name: RateLimitName, key: string): Promise<void> {
    await this.limiters
      .get(name)
      ?.reward(key)
      .catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.settings.redis?.disconnect();
  }
}

function limiterOf(name: RateLimitName, { limits, keyPrefix, redis }: RateLimitSettings): Limiter {
  const options = { points: limits[name], duration: RATE_LIMIT_WINDOW_SECONDS, keyPrefix: `${keyPrefix}:${name}` };
  const memory = new RateLimiterMemory(options);
  if (!redis) return memory;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: memory,
    rejectIfRedisNotReady: true,
    // A caller that has exceeded the limit is refused without a query to Redis.
    inMemoryBlockOnConsumed: limits[name] + 1,
  });
}

function left({ remainingPoints, msBeforeNext }: RateLimiterRes, limit: number): Omit<Allowance, 'allowed'> {
  return { limit, remaining: Math.max(0, remainingPoints), resetsIn: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}
