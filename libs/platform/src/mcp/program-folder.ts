import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'agent-mcp-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

let swept: Promise<unknown> | undefined;

/** The first call also removes the folders that ended processes have left. */
export async function programFolder(): Promise<string> {
  await (swept ??= sweep().catch(() => undefined));
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

async function sweep(): Promise<void> {
  const left = (await readdir(tmpdir())).filter((name) => {
    const pid = NAME.exec(name)?.[1];
    return pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid)));
  });
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}

function isRunning(pid: number): boolean {
  try {
    // oxlint-disable-next-line project/no-process-exit -- the signal 0 ends nothing
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
