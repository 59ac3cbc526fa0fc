import type { Redis } from 'ioredis';
import type { QueueStatus } from './queue-connection.js';

/** Whether Redis answers and would never throw away waiting rings to make room. */
export async function redisStatus(client: Redis): Promise<QueueStatus> {
  try {
    await client.ping();
  } catch (error) {
    return { ok: false, problem: `Redis does not answer: ${error instanceof Error ? error.message : String(error)}` };
  }
  return judgeEvictionPolicy(await evictionPolicy(client));
}

/** `policy` is Redis' `maxmemory-policy`, undefined where it could not be read. */
export function judgeEvictionPolicy(policy: string | undefined): QueueStatus {
  if (policy === 'noeviction') return { ok: true };
  if (policy === undefined) {
    return { ok: true, warning: 'The maxmemory-policy of Redis cannot be read. Make sure that it is noeviction.' };
  }
  return { ok: false, problem: `The maxmemory-policy of Redis is ${policy} and has to be noeviction.` };
}

/** Managed services deny CONFIG to their customers; most of them tell the policy in INFO. */
async function evictionPolicy(client: Redis): Promise<string | undefined> {
  const told = await client.info('memory').catch(() => '');
  const line = /^maxmemory_policy:(\S+)/m.exec(told);
  if (line) return line[1];
  const answer: unknown = await client.config('GET', 'maxmemory-policy').catch(() => undefined);
  const value: unknown = Array.isArray(answer) ? answer[1] : undefined;
  return typeof value === 'string' ? value : undefined;
}
