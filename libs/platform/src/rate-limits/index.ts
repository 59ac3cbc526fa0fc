/**
 * With Redis or Valkey, the limits apply to the whole fleet. Without them, or while they are unavailable, each process
 * counts its own requests in memory.
 */
export { openRateLimits } from './open-rate-limits.js';
export { type RateLimitsConfig, rateLimitsConfig } from './rate-limits.config.js';
export { type Allowance, RATE_LIMIT_WINDOW_SECONDS, RateLimits, type RateLimitName } from './rate-limits.js';
export { RateLimitsModule } from './rate-limits.module.js';
