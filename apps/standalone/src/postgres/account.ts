import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/** `code` is -1 if the command could not be started or was killed by a signal. */
export interface CommandResult {
  code: number;
  text: string;
}

/** Usual id of the account 'nobody'. It is used in images that have neither the account 'postgres' nor 'nobody'. */
const NOBODY = 65_534;

/** Name of the directories that {@link openPlaces} creates. */
const PLACE_NAME = 'agent-automation-service';

/**
 * `LC_ALL` is `C`, because this service compares messages of PostgreSQL, which must not be translated. On macOS,
 * PostgreSQL starts only with a valid LC_ALL.
 */
const COMMAND_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/** PostgreSQL refuses to run as root, so root uses the owner of an existing cluster, or else 'postgres' or 'nobody'. */
export async function serverAccount(clusterDirectory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(clusterDirectory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp('postgres')) ?? (await lookUp('nobody')) ?? { uid: NOBODY, gid: NOBODY };
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([runAs(undefined, 'id', ['-u', name]), runAs(undefined, 'id', ['-g', name])]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  const account = { uid: Number(uid.text), gid: Number(gid.text) };
  return account.uid > 0 && Number.isSafeInteger(account.gid) ? account : undefined;
}

/**
 * Never rejects. The command runs in the folder `/`, because the account may have no access to the working directory of
 * this process.
 */
export function runAs(account: Account | undefined, command: string, args: readonly string[]): Promise<CommandResult> {
  const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  const options = { ...identity, cwd: '/', env: COMMAND_ENVIRONMENT, windowsHide: true, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const text = [stdout, stderr, error !== null && typeof error.code !== 'number' ? error.message : '']
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .join('\n');
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, text });
    });
  });
}

/** The operating system tests this, because access also depends on other things than the mode of the directory. */
export async function canWrite(account: Account | undefined, directory: string): Promise<boolean> {
  if (account === undefined) return true;
  return (await runAs(account, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', directory])).code === 0;
}

/** Without an account, sets only the mode. */
export async function handOver(path: string, account: Account | undefined, mode: number): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
  await chmod(path, mode);
}

/**
 * If the server runs under another account than the owner, the group of that account may pass through the directory
 * (mode 0710).
 */
export async function closeDirectory(path: string, account: Account | undefined): Promise<void> {
  const { uid } = await stat(path);
  const another = account !== undefined && account.uid !== uid;
  if (another) await chown(path, uid, account.gid);
  await chmod(path, another ? 0o710 : 0o700);
}

/**
 * `account` can pass through them, and only the account of this process can write to them. The order is: system
 * folders, then `/var/tmp`, which survives a reboot, then `/tmp`. Skips directories that belong to another account.
 */
export async function* openPlaces(account: Account | undefined): AsyncGenerator<string, void> {
  const uid = process.getuid?.() ?? 0;
  for (const parent of ['/var/lib', '/usr/local/var', '/var/tmp', '/tmp']) {
    const place = join(parent, uid === 0 ? PLACE_NAME : `${PLACE_NAME}-${uid}`);
    await mkdir(place).then(
      () => chmod(place, 0o755),
      () => undefined,
    );
    const found = await lstat(place).catch(() => undefined);
    const ours = found?.isDirectory() === true && found.uid === uid && (found.mode & 0o022) === 0;
    if (ours && (await canEnter(account, place))) yield place;
  }
}

async function canEnter(account: Account | undefined, directory: string): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory])).code === 0;
}
