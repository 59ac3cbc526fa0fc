import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const redisConfig = defineConfig({
  title: 'Redis',
  readBy: ['api', 'worker', 'npm start'],
  settings: {
    redisUrl: setting.url('REDIS_URL', {
      schemes: ['redis', 'rediss'],
      secret: true,
      defaultNote: 'the queue is in Postgres',
      description:
        'Address of Redis or Valkey: `redis://host:6379`. The queue and the rate limits of a fleet are then in ' +
        'Redis.',
    }),
    queuePrefix: setting.matching('QUEUE_PREFIX', {
      default: 'aas',
      pattern: /^[a-z0-9_-]{1,40}$/,
      allowed: '1 to 40 of a-z, 0-9, "_" and "-"',
      description: 'Prefix of every key in Redis. With different prefixes, several installations can share one Redis.',
    }),
  },
});
export type RedisConfig = ConfigOf<typeof redisConfig>;
