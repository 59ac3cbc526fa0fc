import { DomainError } from '@app/kernel';
import { PostgresQueueConnection } from './postgres-queue-connection.js';
import type { QueueConnection, QueueRole, QueueSettings } from './queue-connection.js';
import { RedisQueueConnection } from './redis-queue-connection.js';

/**
 * Connects in the background and reports every connection error to `onError`.
 * @throws DomainError `internal_error` if neither is configured
 */
export function openQueueConnection(
  settings: QueueSettings,
  role: QueueRole,
  onError: (error: unknown) => void,
): QueueConnection {
  const { redisUrl, databaseUrl, queuePrefix } = settings;
  if (redisUrl) return new RedisQueueConnection({ redisUrl, queuePrefix, role, onError });
  if (databaseUrl) return new PostgresQueueConnection({ databaseUrl, role, onError });
  throw new DomainError('internal_error', 'The queue has no store. Set REDIS_URL or DATABASE_URL.');
}
