import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Identifies a process. A pid alone does not identify it, because the system reuses pids. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** A zombie counts as ended. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = process.platform === 'linux' ? await startedOnLinux(pid) : await startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/**
 * In the file `stat`, the state of the process follows the command name in parentheses. The start time, in ticks since
 * boot, is the 19th field after the state.
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
