import { readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { runAs } from './account.js';
import type { PostgresBinaries } from './binaries.js';
import { chooseOtherPort, type Cluster, settlePort } from './cluster.js';
import { discardPidFile, inspectServer } from './postmaster.js';

export interface ServerSettings {
  port: number | undefined;
  /** Additional `name=value` settings of postgresql.conf. The values must not contain blanks. */
  settings: Readonly<Record<string, string>>;
}

const GONE_WITHIN_MS = 15_000;
const RECOVERED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 100;
const STOP_WITHIN_SECONDS = 25;
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Handles stale pid files, ports that are in use, and remaining processes of a killed server. If the server does not
 * start, rejects with the lines that this start has written to the server log.
 */
export async function bringUp(
  cluster: Cluster,
  binaries: PostgresBinaries,
  options: ServerSettings,
  log: (line: string) => void,
): Promise<number> {
  const begun = Date.now();
  let told = begun;
  for (;;) {
    const state = await inspectServer(cluster);
    if (state.kind === 'serving') {
      log(`PostgreSQL is already running on this directory (process ${state.postmaster.pid}) and is used`);
      return state.postmaster.port;
    }
    if (state.kind === 'mistaken') await discardPidFile(cluster);
    if (state.kind !== 'occupied') {
      const started = await tryStart(cluster, binaries, options);
      if (started.port !== undefined) return started.port;
      if (!started.again || Date.now() - begun > GONE_WITHIN_MS)
        throw new Error(`PostgreSQL does not start:\n${started.reason}`);
    } else if (Date.now() - begun > RECOVERED_WITHIN_MS) {
      throw new Error(
        `PostgreSQL (process ${state.postmaster.pid}) does not respond. Read its log, ${cluster.logFile}, then end the process and start again.`,
      );
    }
    if (Date.now() - told > 3_000) {
      told = Date.now();
      log('waiting for an earlier PostgreSQL process on this directory to end');
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** With `immediate`, the server writes no checkpoint, and its next start recovers from the log. */
export async function shutDown(
  cluster: Cluster,
  binaries: PostgresBinaries,
  first: 'fast' | 'immediate' = 'fast',
): Promise<void> {
  const { kind } = await inspectServer(cluster);
  if (kind === 'none' || kind === 'mistaken') return;
  const stop = (mode: string) =>
    runAs(cluster.account, binaries.pgCtl, [
      'stop',
      '-D',
      cluster.directory,
      '-m',
      mode,
      '-w',
      '-t',
      String(STOP_WITHIN_SECONDS),
    ]);
  if ((await stop(first)).code === 0) return;
  await stop('immediate');
}

interface StartAttempt {
  port?: number;
  reason: string;
  again: boolean;
}

async function tryStart(cluster: Cluster, binaries: PostgresBinaries, options: ServerSettings): Promise<StartAttempt> {
  const port = await settlePort(cluster, options.port);
  await turnLog(cluster.logFile);
  const logged = await sizeOf(cluster.logFile);
  const settings = { ...BASE_SETTINGS, ...options.settings, port: String(port) };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  // pg_ctl starts the server in its own session, so the server outlives this process and gets no Ctrl-C from the
  // terminal.
  const outcome = await runAs(cluster.account, binaries.pgCtl, [
    ...['start', '-D', cluster.directory, '-l', cluster.logFile, '-w', '-t', String(RECOVERED_WITHIN_MS / 1000)],
    ...['-o', flags.join(' ')],
  ]);
  if (outcome.code === 0) return { port, reason: '', again: false };
  const reason = [outcome.text, (await readFile(cluster.logFile)).subarray(logged).toString('utf8').trim()].join('\n');
  if (/could not bind|could not create any TCP\/IP sockets/i.test(reason)) {
    await chooseOtherPort(cluster);
    return { reason, again: true };
  }
  return { reason, again: /lock file "postmaster\.pid"|pre-existing shared memory block/i.test(reason) };
}

/** `jit` is off, because it costs more than it saves for short statements. */
const BASE_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  wal_compression: 'on',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
};

async function turnLog(file: string): Promise<void> {
  if ((await sizeOf(file)) > MAX_LOG_BYTES) await rename(file, `${file}.1`);
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
