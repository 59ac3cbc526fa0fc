import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A pid alone does not identify a process, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** Returns undefined if the process has ended. A zombie counts as ended. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = process.platform === 'linux' ? await startedOnLinux(pid) : await startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/**
 * proc(5): the command name in parentheses is followed by the state and, 19 fields later, the start time in ticks since
 * boot.
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
