import type { Redis } from 'ioredis';
// The index of the package loads the limiters of all stores, in each thread.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';

/**
 * The service counts `requests` and `modelChecks` per API key, `triggers` per agent, `failedAuthentication` per client
 * address, and `signIn` per client address and per member.
 */
export const RATE_LIMIT_NAMES = ['requests', 'triggers', 'failedAuthentication', 'signIn', 'modelChecks'] as const;
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number];

export const RATE_LIMIT_WINDOW_SECONDS = 60;

export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetsIn: number;
}

export interface RateLimitSettings {
  /** 0 means no limit. */
  limits: Readonly<Record<RateLimitName, number>>;
  keyPrefix: string;
  redis?: Redis;
}

type Limiter = RateLimiterMemory | RateLimiterRedis;

/** The window of a key begins with its first use. */
export class RateLimits {
  private readonly limiters: ReadonlyMap<RateLimitName, Limiter>;

  constructor(private readonly settings: RateLimitSettings) {
    const limited = RATE_LIMIT_NAMES.filter((name) => settings.limits[name] > 0);
    this.limiters = new Map(limited.map((name) => [name, limiterOf(name, settings)]));
  }

  /** Returns undefined if the limit is off or if counting fails. Never rejects. */
  async take(name: RateLimitName, key: string): Promise<Allowance | undefined> {
    const limiter = this.limiters.get(name);
    if (!limiter) return undefined;
    const limit = this.settings.limits[name];
    try {
      return { allowed: true, ...left(await limiter.consume(key), limit) };
    } catch (refusal) {
      // The caller then allows the request.
      return refusal instanceof RateLimiterRes ? { allowed: false, ...left(refusal, limit) } : undefined;
    }
  }

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
    inMemoryBlockOnConsumed: limits[name] + 1,
  });
}

function left({ remainingPoints, msBeforeNext }: RateLimiterRes, limit: number): Omit<Allowance, 'allowed'> {
  return { limit, remaining: Math.max(0, remainingPoints), resetsIn: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}
