import { readdir, readFile } from 'node:fs/promises';

/** Linux clock ticks per second. The number is 100 on every architecture that Node.js supports. */
const TICKS_PER_SECOND = 100;
const SAMPLE_EVERY_MS = 100;

/** Returns the CPU time of a process in milliseconds, or undefined on systems without /proc. */
export async function cpuMillis(pid: number): Promise<number | undefined> {
  const fields = await statFields(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
}

/**
 * Returns the CPU time in milliseconds that all processes of a Postgres server have used, including processes that have
 * ended. `backend` is the process id of one of them.
 */
export async function postgresCpuMillis(backend: number): Promise<number | undefined> {
  const server = (await statFields(backend))?.[1];
  if (server === undefined) return undefined;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(names.map((name) => statFields(Number(name))));
  const own = await statFields(Number(server));
  const ticks = [own, ...all.filter((fields) => fields?.[1] === server)].map((fields) =>
    fields ? Number(fields[11]) + Number(fields[12]) : 0,
  );
  const ended = own ? Number(own[13]) + Number(own[14]) : 0;
  return (ticks.reduce((sum, each) => sum + each, 0) + ended) * (1000 / TICKS_PER_SECOND);
}

/** Returns the resident memory of a process in MiB, or undefined on systems without /proc. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

export async function peakMemory<Name extends string>(
  pids: Readonly<Record<Name, number>>,
  work: () => Promise<void>,
): Promise<Partial<Record<Name, number>>> {
  const peaks: Partial<Record<Name, number>> = {};
  const sample = async (): Promise<void> => {
    for (const name of Object.keys(pids) as Name[]) {
      const now = await residentMegabytes(pids[name]);
      if (now !== undefined) peaks[name] = Math.max(peaks[name] ?? 0, now);
    }
  };
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  await sample();
  return peaks;
}

async function statFields(pid: number): Promise<string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}
