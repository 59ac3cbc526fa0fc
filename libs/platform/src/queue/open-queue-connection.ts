import { DomainError } from '@app/kernel';
import { PostgresQueueConnection } from './postgres-queue-connection.js';
import type { QueueConnection, QueueRole, QueueSettings } from './queue-connection.js';
import { RedisQueueConnection } from './redis-queue-connection.js';

/**
 * Redis where there is a `redisUrl`, otherwise the service's own Postgres. Connecting happens in the background:
 * a store that is away now is an error for `onError`, which hears of every one, and not for the caller.
 * Throws when neither is configured.
 */
export function openQueueConnection(
  settings: QueueSettings,
  role: QueueRole,
  onError: (error: unknown) => void,
): QueueConnection {
  const { redisUrl, databaseUrl, queuePrefix } = settings;
  if (redisUrl) return new RedisQueueConnection({ redisUrl, queuePrefix, role, onError });
  if (databaseUrl) return new PostgresQueueConnection({ databaseUrl, role, onError });
  throw new DomainError('internal_error', 'The queue needs REDIS_URL or DATABASE_URL.');
}
