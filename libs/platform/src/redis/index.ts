export { type RedisConfig, redisConfig } from './redis.config.js';
