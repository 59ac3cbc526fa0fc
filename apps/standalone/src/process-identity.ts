import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Identifies a process by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** Returns the identity of a living process, or undefined if it is gone. A zombie counts as gone. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = process.platform === 'linux' ? await startedOnLinux(pid) : await startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/**
 * proc(5): after the command name in parentheses come the state and, 19 fields later, the start in ticks since boot.
 */
async function startedOnLinux(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields[19];
  return ticks === undefined || fields[0] === 'Z' ? undefined : `${boot.trim()}:${ticks}`;
}

function startedByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, stdout) => {
      resolve(error === null && stdout.trim() !== '' ? stdout.trim() : undefined);
    });
  });
}
