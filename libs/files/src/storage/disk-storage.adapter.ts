import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { isId } from '@app/kernel';
import {
  type ByteRange,
  BytesMissing,
  FileStorage,
  MARKER_NAME,
  type StoredObject,
  StorageUnavailable,
} from './file-storage.js';

const OWNER_ONLY = 0o600;
const WINDOW_BYTES = 64 * 1024;
/** One batch is written while the next one is filled. */
const BATCH_BYTES = 256 * 1024;
/** They are synced while others arrive, so that the last sync is short. */
const UNSYNCED_BYTES = 16 * 1024 * 1024;
/** Errors of the file system that mean: the bytes of this file are not there. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

@Injectable()
export class DiskStorageAdapter extends FileStorage {
  private made: Promise<unknown> | undefined;

  constructor(private readonly folder: string) {
    super();
  }

  async put(name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    await orUnavailable(this.makeFolder());
    const path = this.pathOf(name);
    const file = await orUnavailable(open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, OWNER_ONLY));
    try {
      await writeBatches(file, bytes);
      await orUnavailable(file.sync());
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
    await orUnavailable(file.close());
    await orUnavailable(this.syncFolder());
  }

  async *read(name: string, { first, last }: ByteRange): AsyncGenerator<Buffer> {
    const file = await orUnavailable(open(this.pathOf(name), 'r'));
    try {
      for (let at = first; at <= last;) {
        const window = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, last - at + 1));
        const { bytesRead } = await orUnavailable(file.read(window, 0, window.length, at));
        if (bytesRead === 0) return;
        yield window.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  async remove(name: string): Promise<void> {
    await orUnavailable(rm(this.pathOf(name), { force: true }));
  }

  async *list(): AsyncGenerator<StoredObject> {
    await orUnavailable(this.makeFolder());
    for await (const { name } of await orUnavailable(opendir(this.folder))) {
      if (!isId('file', name)) continue;
      const found = await stat(this.pathOf(name)).catch(() => undefined);
      if (found) yield { name, bytes: found.size, modifiedAt: found.mtime };
    }
  }

  async readMarker(): Promise<string | undefined> {
    try {
      return (await orUnavailable(readFile(this.pathOf(MARKER_NAME), 'utf8'))).trim();
    } catch (error) {
      if (error instanceof BytesMissing) return undefined;
      throw error;
    }
  }

  async writeMarker(text: string): Promise<void> {
    const partial = `${MARKER_NAME}.partial`;
    await orUnavailable(rm(this.pathOf(partial), { force: true }));
    await this.put(
      partial,
      (async function* (): AsyncGenerator<Buffer> {
        yield Buffer.from(`${text}\n`);
      })(),
    );
    await orUnavailable(rename(this.pathOf(partial), this.pathOf(MARKER_NAME)));
    await orUnavailable(this.syncFolder());
  }

  private pathOf(name: string): string {
    return join(this.folder, name);
  }

  private async makeFolder(): Promise<void> {
    this.made ??= mkdir(this.folder, { recursive: true, mode: 0o700 });
    try {
      await this.made;
    } catch (error) {
      this.made = undefined;
      throw error;
    }
  }

  /** Without it, a power failure may lose the name and keep the bytes. */
  private async syncFolder(): Promise<void> {
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

async function writeBatches(file: FileHandle, bytes: AsyncIterable<Buffer>): Promise<void> {
  let batch: Buffer[] = [];
  let length = 0;
  let unsynced = 0;
  let [writing, syncing] = [Promise.resolve(), Promise.resolve()];
  const write = async (): Promise<void> => {
    await writing;
    writing = started(writeAll(file, batch, length));
    unsynced += length;
    [batch, length] = [[], 0];
    if (unsynced < UNSYNCED_BYTES) return;
    await syncing;
    syncing = started(file.datasync());
    unsynced = 0;
  };
  for await (const window of bytes) {
    batch.push(window);
    length += window.length;
    if (length >= BATCH_BYTES) await write();
  }
  await write();
  await Promise.all([writing, syncing]);
}

/** Its failure is thrown where it is awaited. */
function started(work: Promise<void>): Promise<void> {
  const started = orUnavailable(work);
  started.catch(() => undefined);
  return started;
}

async function writeAll(file: FileHandle, batch: readonly Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(batch);
  if (bytesWritten === length) return;
  const rest = Buffer.concat(batch).subarray(bytesWritten);
  for (let at = 0; at < rest.length;) at += (await file.write(rest, at)).bytesWritten;
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (ABSENT.has(code ?? '')) throw new BytesMissing(message, { cause });
    throw new StorageUnavailable(message, { cause });
  }
}
