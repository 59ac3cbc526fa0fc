/** The URL of the operator's Redis, and the prefix of the service's keys in it. */
export { type RedisConfig, redisConfig } from './redis.config.js';
