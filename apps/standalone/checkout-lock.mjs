/** Lets only one process at a time prepare a checkout. Uses only Node's own modules. */
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const SIGN_OF_LIFE_EVERY_MS = 2_000;
/** A lock file that is silent for longer is stale: its pid may belong to another process. */
const SILENT_AFTER_MS = 20_000;

/** If another process holds it, calls `say` once and waits. */
export async function withLock(file, say, work) {
  let told = false;
  while (!(await take(file))) {
    const holder = await readFile(file, 'utf8').catch(() => undefined);
    if (holder !== undefined && (await isStale(file, holder))) await remove(file, holder);
    else if (!told) {
      told = true;
      say(`Waiting: process ${holder ?? '?'} is installing or building this checkout`);
    }
    await pause(100);
  }
  const heartbeat = setInterval(
    () => utimes(file, new Date(), new Date()).catch(() => undefined),
    SIGN_OF_LIFE_EVERY_MS,
  );
  const letGo = () => rm(file, { force: true });
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await letGo();
  }
}

function take(file) {
  return writeFile(file, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

async function isStale(file, holder) {
  const pid = Number(holder);
  if (pid === process.pid) return true;
  const silentSince = (await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now();
  if (Date.now() - silentSince > SILENT_AFTER_MS) return true;
  return pid > 0 && !isAlive(pid);
}

/** If another process has replaced it with a new lock file meanwhile, restores the new file. */
async function remove(file, holder) {
  const aside = `${file}.${process.pid}`;
  if (
    !(await rename(file, aside).then(
      () => true,
      () => false,
    ))
  )
    return;
  if ((await readFile(aside, 'utf8')) !== holder) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
