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
  /** Callers of a key that wait until the limiter has counted the earlier callers of this key. */
  private readonly waiting = new Map<string, Caller[]>();

  constructor(private readonly settings: RateLimitSettings) {
    const limited = RATE_LIMIT_NAMES.filter((name) => settings.limits[name] > 0);
    this.limiters = new Map(limited.map((name) => [name, limiterOf(name, settings)]));
  }

  /**
   * Callers that arrive while Redis counts are counted together, with one command.
   * @returns undefined if the limit is off or if counting fails. Never rejects.
   */
  take(name: RateLimitName, key: string): Promise<Allowance | undefined> {
    const limiter = this.limiters.get(name);
    if (!limiter) return Promise.resolve(undefined);
    const place = `${name}:${key}`;
    const later = this.waiting.get(place);
    return new Promise((resolve) => {
      if (later) later.push(resolve);
      else void this.countAll(place, [resolve], (callers) => count(limiter, key, callers, this.settings.limits[name]));
    });
  }

  private async countAll(place: string, first: Caller[], counted: (callers: Caller[]) => Promise<void>): Promise<void> {
    const later: Caller[] = [];
    this.waiting.set(place, later);
    for (let callers = first; callers.length > 0; callers = later.splice(0)) await counted(callers);
    this.waiting.delete(place);
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

type Caller = (allowance: Allowance | undefined) => void;

/** Never rejects. */
async function count(limiter: Limiter, key: string, callers: readonly Caller[], limit: number): Promise<void> {
  // Any other error than a refusal means that counting failed. The callers then allow their requests.
  const counted = await limiter
    .consume(key, callers.length)
    .catch((refusal: unknown) => (refusal instanceof RateLimiterRes ? refusal : undefined));
  callers.forEach((caller, at) => caller(counted && allowanceOf(counted, limit, callers.length - 1 - at)));
}

/** @param later number of callers that were counted after this one */
function allowanceOf({ consumedPoints, msBeforeNext }: RateLimiterRes, limit: number, later: number): Allowance {
  // While a key is blocked, the limiter counts nothing and returns 0.
  const used = consumedPoints === 0 ? Infinity : consumedPoints - later;
  const resetsIn = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return { allowed: used <= limit, limit, remaining: Math.max(0, limit - used), resetsIn };
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
