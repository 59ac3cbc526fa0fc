/**
 * Rate limits, counted in Redis or Valkey for the whole fleet, or in the memory of each process without it. If the
 * store is away, no request is refused for it: each process counts for itself.
 */
export { type Allowance, RATE_LIMIT_WINDOW_SECONDS, RateLimits, type RateLimitName } from './rate-limits.js';
export { RateLimitsModule } from './rate-limits.module.js';
