import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { type Account, runAs } from './account.js';

const NAME = 'agent-automation-service';

/**
 * Yields directories in which data can be stored. `account` can pass through them, and only the account of this process
 * can write to them. The order is: system folders, then `/var/tmp`, which survives a reboot, then `/tmp`. Creates each
 * directory only when the caller asks for it. Skips directories that belong to another account.
 */
export async function* openPlaces(account: Account | undefined): AsyncGenerator<string, void> {
  const uid = process.getuid?.() ?? 0;
  for (const parent of ['/var/lib', '/usr/local/var', '/var/tmp', '/tmp']) {
    const place = join(parent, uid === 0 ? NAME : `${NAME}-${uid}`);
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
