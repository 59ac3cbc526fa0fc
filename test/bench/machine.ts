import { execFile } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { promisify } from 'node:util';

import { Redis } from 'ioredis';
import type { Pool } from 'pg';

export interface Machine {
  date: string;
  commit: string;
  cpu: string;
  cores: number;
  memoryGigabytes: number;
  /** One-minute load average of the machine before the benchmark. It shows the load that other programs cause. */
  loadBefore: number;
  node: string;
  postgres: string;
  redis: string | null;
}

export async function describeMachine(database: Pool, redisUrl: string | undefined): Promise<Machine> {
  const { rows } = await database.query<{ version: string }>(`select current_setting('server_version') as version`);
  return {
    date: new Date().toISOString(),
    commit: await commit(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    node: process.versions.node,
    postgres: rows[0]?.version ?? 'unknown',
    redis: redisUrl === undefined ? null : await redisVersion(redisUrl),
  };
}

export function machineText(machine: Machine): string {
  const { date, commit, cpu, cores, memoryGigabytes, loadBefore, node, postgres, redis } = machine;
  const busy = loadBefore > cores / 4 ? ` (the machine was not idle: the figures suffer)` : '';
  return [
    `${date}, commit ${commit}`,
    `${cores} × ${cpu}, ${memoryGigabytes} GiB, load before ${loadBefore}${busy}`,
    `Node ${node}, PostgreSQL ${postgres} (fsync on), Redis ${redis ?? 'not available'}`,
    'everything on this machine: driver, tool server, api, one worker, database',
  ].join('\n');
}

async function commit(): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const changed = (await git('status', '--porcelain')) !== '';
    return `${await git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

async function redisVersion(redisUrl: string): Promise<string> {
  const client = new Redis(redisUrl);
  try {
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown';
  } finally {
    client.disconnect();
  }
}
