/**
 * Rate limits, counted in Redis or Valkey for the whole fleet, or without it in the memory of each process. If the
 * store is unavailable, no request is rejected for that reason: each process counts its own requests.
 */
export { type Allowance, RATE_LIMIT_WINDOW_SECONDS, RateLimits, type RateLimitName } from './rate-limits.js';
export { RateLimitsModule } from './rate-limits.module.js';
