import { createHash } from 'node:crypto';
import type { SealedBox } from '@app/platform/crypto';
import { fileKeyCell } from './content/file-contents.service.js';
import type { FileStorageStore, StoredFileRow } from './records/file-storage.store.js';
import { BytesMissing, type FileStorage } from './storage/file-storage.js';
import { openFrames, sealedRange, sealedSize } from './storage/sealed-frames.js';

const BATCH = 500;

export interface FileFinding {
  /** `missing`: no bytes; `broken`: other bytes than the upload had; `orphan`: bytes without a row. */
  kind: 'missing' | 'broken' | 'orphan';
  name: string;
}

/** The service may run meanwhile. */
export class FileVerification {
  constructor(
    private readonly table: FileStorageStore,
    private readonly storage: FileStorage,
    private readonly box: SealedBox,
  ) {}

  /**
   * An upload in progress is an orphan.
   * @param reads whether to read and decrypt the bytes. Otherwise only their size is compared.
   * @throws StorageUnavailable
   */
  async *run({ reads }: { reads: boolean }): AsyncGenerator<FileFinding> {
    const sizes = new Map<string, number>();
    for await (const { name, bytes } of this.storage.list()) sizes.set(name, bytes);
    for (let after = ''; ;) {
      const page = await this.table.readyAfter(after, BATCH);
      for (const row of page) {
        const kind = await this.problemOf(row, sizes.get(row.id), reads);
        sizes.delete(row.id);
        // The file may have been deleted since the page was read.
        if (kind && (await this.table.readyOf([row.id])).has(row.id)) yield { kind, name: row.id };
      }
      if (page.length < BATCH) break;
      after = page.at(-1)?.id ?? '';
    }
    yield* this.orphansOf([...sizes.keys()].sort());
  }

  private async *orphansOf(names: readonly string[]): AsyncGenerator<FileFinding> {
    for (let at = 0; at < names.length; at += BATCH) {
      const batch = names.slice(at, at + BATCH);
      const needed = await this.table.readyOf(batch);
      for (const name of batch) if (!needed.has(name)) yield { kind: 'orphan', name };
    }
  }

  /** @param stored undefined if the storage did not list the file, which may be newer than the list */
  private async problemOf(
    row: StoredFileRow,
    stored: number | undefined,
    reads: boolean,
  ): Promise<'missing' | 'broken' | undefined> {
    if (stored === undefined && !(await this.hasBytes(row.id))) return 'missing';
    if (stored !== undefined && stored !== sealedSize(row.bytes)) return 'broken';
    return reads && !(await this.isIntact(row)) ? 'broken' : undefined;
  }

  private async hasBytes(id: string): Promise<boolean> {
    try {
      for await (const _ of this.storage.read(id, { first: 0, last: 0 })) return true;
      return true;
    } catch (error) {
      if (error instanceof BytesMissing) return false;
      throw error;
    }
  }

  private async isIntact({ id, workspaceId, bytes, sha256, key }: StoredFileRow): Promise<boolean> {
    const range = { first: 0, last: bytes - 1 };
    const hash = createHash('sha256');
    const opened = this.box.open(key, fileKeyCell(workspaceId, id));
    try {
      const sealed = this.storage.read(id, sealedRange(range, bytes));
      for await (const plain of openFrames(sealed, opened, range, bytes)) hash.update(plain);
    } catch (error) {
      if (error instanceof BytesMissing) return false;
      throw error;
    }
    return hash.digest('hex') === sha256;
  }
}
