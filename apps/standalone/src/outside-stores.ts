import { errorText } from '@app/kernel';
import type { StandaloneSettings } from '@app/installation/settings';
import { checkRedis } from '@app/platform/queue';

import { OperatorError } from './operator-error.js';
import { queryOnce } from './postgres/connection.js';

/**
 * Without this check, the API and workers would wait for them without an error. The messages contain no addresses,
 * because an address may contain a password.
 */
export async function assertStoresAnswer({
  databaseUrl,
  redisUrl,
}: Partial<Pick<StandaloneSettings, 'databaseUrl' | 'redisUrl'>>): Promise<void> {
  const problems = await Promise.all([
    databaseUrl === undefined ? undefined : databaseProblem(databaseUrl),
    redisUrl === undefined ? undefined : redisProblem(redisUrl),
  ]);
  const lines = problems.filter((line) => line !== undefined);
  if (lines.length > 0) throw new OperatorError(lines.join('\n'));
}

async function databaseProblem(url: string): Promise<string | undefined> {
  try {
    await queryOnce(url, 'SELECT');
    return undefined;
  } catch (error) {
    return `DATABASE_URL: PostgreSQL does not respond at this address: ${errorText(error)}. Start PostgreSQL, correct the address, or unset DATABASE_URL to use the embedded PostgreSQL.`;
  }
}

async function redisProblem(url: string): Promise<string | undefined> {
  const status = await checkRedis(url);
  if (status.ok) return undefined;
  return `REDIS_URL: ${status.problem.replace(/\.$/, '')}. Make sure that Redis runs and that the address is correct, or unset REDIS_URL to keep the queue in PostgreSQL.`;
}
