/** The settings of Redis: its URL, and the prefix of all keys of the service. */
export { type RedisConfig, redisConfig } from './redis.config.js';
