import { readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from './error-code.js';
import { runAs } from './account.js';
import type { Cluster } from './cluster.js';
import { queryOnce } from './connection.js';

/** With this file, PostgreSQL prevents two servers from using one cluster. */
export interface Postmaster {
  pid: number;
  port: number;
}

/**
 * The state of the server of a cluster:
 * - `none`: no server, or a pid file that PostgreSQL itself recognises as stale;
 * - `serving`: a healthy server that accepts the stored password, whichever process started it;
 * - `occupied`: a server that does not respond, because it starts, recovers or shuts down;
 * - `mistaken`: no server, but the pid in the file belongs to another process or to a zombie.
 */
export type ServerState = { kind: 'none' } | { kind: 'serving' | 'occupied' | 'mistaken'; postmaster: Postmaster };

/** No system assigns this pid, so PostgreSQL treats a pid file that contains it as stale. */
const UNUSED_PID = 2_147_483_647;

async function readPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const lines = (await readFile(pidFile(cluster), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, port: Number.isSafeInteger(port) ? port : 0 } : undefined;
}

export async function inspectServer(cluster: Cluster): Promise<ServerState> {
  const postmaster = await readPostmaster(cluster);
  if (postmaster === undefined || !isAlive(postmaster.pid)) return { kind: 'none' };
  if (await answers(cluster, postmaster.port)) return { kind: 'serving', postmaster };
  return { kind: (await worksIn(cluster, postmaster.pid)) ? 'occupied' : 'mistaken', postmaster };
}

export async function isDown(cluster: Cluster): Promise<boolean> {
  const postmaster = await readPostmaster(cluster);
  return postmaster === undefined || !isAlive(postmaster.pid) || !(await worksIn(cluster, postmaster.pid));
}

/**
 * Call this only in the state `mistaken`. Keeps the lines after the pid, because PostgreSQL uses them to find child
 * processes of the dead server.
 */
export async function discardPidFile(cluster: Cluster): Promise<void> {
  const lines = (await readFile(pidFile(cluster), 'utf8')).split('\n');
  await writeFile(pidFile(cluster), [String(UNUSED_PID), ...lines.slice(1)].join('\n'));
}

export function databaseUrl(cluster: Cluster, port: number, database: string): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
}

function pidFile(cluster: Cluster): string {
  return join(cluster.directory, 'postmaster.pid');
}

/** EPERM means that it exists but belongs to another account. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether the server on the port accepts the stored password and uses the directory of the cluster. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  if (port === 0) return false;
  try {
    const [row] = await queryOnce<{ data_directory: string }>(
      databaseUrl(cluster, port, 'postgres'),
      'SHOW data_directory',
    );
    return row?.data_directory === cluster.directory || row?.data_directory === (await realpath(cluster.directory));
  } catch {
    return false;
  }
}

/**
 * If this cannot be read, returns true. A zombie is not a server of the cluster, although PostgreSQL treats it as
 * alive, because it accepts signals.
 */
async function worksIn(cluster: Cluster, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (/^State:\s+[ZX]/m.test(status)) return false;
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return directory === undefined || directory === (await realpath(cluster.directory));
  }
  const found = await runAs(undefined, 'ps', ['-o', 'stat=,command=', '-p', String(pid)]);
  return found.code !== 0 || (found.text.includes('postgres') && !found.text.startsWith('Z'));
}
