import { errorText } from '@app/kernel';
import { Redis } from 'ioredis';
import type { QueueStatus } from './queue-connection.js';

const ANSWERS_WITHIN_MS = 3_000;

/**
 * `redisUrl` begins with `redis://` or `rediss://`. The result never contains this URL. Responds within seconds and
 * never rejects.
 */
export async function checkRedis(redisUrl: string): Promise<QueueStatus> {
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: ANSWERS_WITHIN_MS,
    commandTimeout: ANSWERS_WITHIN_MS,
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  client.on('error', (error) => (failure = error));
  try {
    await client.connect();
    return await redisStatus(client);
  } catch (error) {
    // `error` only reports that the connection has closed.
    return { ok: false, problem: `Redis does not respond: ${errorText(failure ?? error)}` };
  } finally {
    client.disconnect();
  }
}

export async function redisStatus(client: Redis): Promise<QueueStatus> {
  try {
    await client.ping();
  } catch (error) {
    return { ok: false, problem: `Redis does not respond: ${errorText(error)}` };
  }
  return judgeEvictionPolicy(await evictionPolicy(client));
}

/** `policy` is the `maxmemory-policy` of Redis, or undefined if it could not be read. */
export function judgeEvictionPolicy(policy: string | undefined): QueueStatus {
  if (policy === 'noeviction') return { ok: true };
  if (policy === undefined) {
    return { ok: true, warning: 'The maxmemory-policy of Redis cannot be read. Make sure that it is noeviction.' };
  }
  return {
    ok: false,
    problem: `The maxmemory-policy of Redis is ${policy} and may evict waiting jobs. Set it to noeviction.`,
  };
}

/** Managed Redis services forbid the command CONFIG, but most of them report the policy in INFO. */
async function evictionPolicy(client: Redis): Promise<string | undefined> {
  const info = await client.info('memory').catch(() => '');
  const line = /^maxmemory_policy:(\S+)/m.exec(info);
  if (line) return line[1];
  const answer: unknown = await client.config('GET', 'maxmemory-policy').catch(() => undefined);
  const value: unknown = Array.isArray(answer) ? answer[1] : undefined;
  return typeof value === 'string' ? value : undefined;
}
