/**
 * How often somebody may do something: counted on Redis or Valkey for all processes of a fleet together, in memory where
 * there is none. A store that is away never stops anybody: each process then counts for itself.
 */
export { type Allowance, RATE_LIMIT_WINDOW_SECONDS, RateLimits, type RateLimitName } from './rate-limits.js';
export { RateLimitsModule } from './rate-limits.module.js';
