import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { isId } from '@app/kernel';

import { OperatorError } from '../operator-error.js';
import { errorCode } from '../postgres/error-code.js';
import type { BackupRecord } from './backup-records.js';

const PIECE_BYTES = 1024 * 1024;
const OWNER_ONLY = 0o600;
/** Name of a file that is not complete. No file of a workspace has it, so the service ignores it. */
const PARTIAL = 'restored.partial';

export function filesDirectory(dataDir: string): string {
  return join(dataDir, 'files');
}

/** Yields the encrypted bytes of these files. Leaves out a file that was deleted after the snapshot. */
export async function* fileRecords(
  directory: string,
  ids: AsyncIterable<string>,
  report: (bytes: number) => void,
): AsyncGenerator<BackupRecord, void> {
  let all = 0;
  for await (const id of ids) {
    const file = await open(join(directory, id), 'r').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) continue;
    yield { kind: 'file', id };
    let bytes = 0;
    for await (const data of file.createReadStream({ highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
      yield { kind: 'bytes', data };
      bytes += data.length;
      report((all += data.length));
    }
    yield { kind: 'fileEnd', bytes };
  }
}

/**
 * Writes one file of a backup durably, and only completely. An existing file stays, because the bytes of an id never
 * change. The caller then syncs the folder.
 */
export async function placeFile(directory: string, id: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  if (!isId('file', id)) throw new OperatorError('The backup has a file with a wrong name. Use another backup.');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [partial, path] = [join(directory, PARTIAL), join(directory, id)];
  await rm(partial, { force: true });
  const file = await open(partial, 'wx', OWNER_ONLY);
  try {
    for await (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
  if (await isThere(path)) await rm(partial);
  else await rename(partial, path);
}

/** Returns the marker of the storage in this folder, or undefined if no api has marked it. */
export async function markerIn(directory: string): Promise<string | undefined> {
  return (await readFile(join(directory, 'installation'), 'utf8').catch(() => undefined))?.trim();
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
