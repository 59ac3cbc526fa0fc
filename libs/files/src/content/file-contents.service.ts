import { byteText, DomainError, newId } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import type { FileEntity } from '../records/file.entity.js';
import { FileRepository } from '../records/file.repository.js';
import type { StoredContent } from '../records/stored-content.js';
import { type ByteRange, BytesMissing, FileStorage, StorageUnavailable } from '../storage/file-storage.js';
import { newFileKey, openFrames, sealedRange, sealFrames } from '../storage/sealed-frames.js';
import { ClamdClient } from './clamd.client.js';
import { declaredType, detectContentType } from './content-type.js';
import { cleanFileName } from './file-name.js';
import { ObservedContent } from './observed-content.js';
import { storageFailure } from './storage-failure.js';

export interface IncomingContent {
  source: AsyncIterable<Buffer>;
  filename: string;
  contentType: string | undefined;
}

export type ReadableFile = Pick<FileEntity, 'id' | 'workspaceId' | 'bytes' | 'key' | 'bytesMissingAt'>;

export function fileKeyCell(workspace: string, row: string): SealedCell {
  return { workspace, table: 'files', column: 'key', row };
}

@Injectable()
export class FileContentsService {
  constructor(
    private readonly storage: FileStorage,
    private readonly scanner: ClamdClient,
    private readonly box: SealedBox,
    private readonly table: FileRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Bytes without a row are removed by the sweep.
   * @param check called with the number of bytes so far. If it throws, nothing is stored.
   * @throws DomainError `unavailable`, and the errors of `check` and of the source
   */
  async write(
    workspaceId: string,
    { source, filename: given, contentType: header }: IncomingContent,
    check: (bytes: number) => void,
    id: string = newId('file'),
  ): Promise<StoredContent> {
    const key = newFileKey();
    const content = new ObservedContent(source, check);
    await this.unlessUnavailable(this.storage.put(id, sealFrames(this.scanner.scanned(content), key)));
    const { head, ...facts } = content.facts();
    const [filename, declaredContentType] = [cleanFileName(given), declaredType(header)];
    const contentType = await detectContentType(head, declaredContentType, filename);
    return {
      id,
      filename,
      contentType,
      declaredContentType,
      ...facts,
      key: this.box.seal(key, fileKeyCell(workspaceId, id)),
    };
  }

  /**
   * Resolves when the first bytes are read and verified. If later bytes do not fit, the iteration throws, and the bytes
   * after them are never yielded.
   * @throws DomainError `file_missing`, `unavailable`
   */
  async open(file: ReadableFile, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    const { id, workspaceId, bytes } = file;
    const key = this.box.open(file.key ?? Buffer.alloc(0), fileKeyCell(workspaceId, id));
    const sealed = this.storage.read(id, sealedRange(range, bytes));
    const frames = openFrames(sealed, key, range, bytes);
    const next = () => this.orRecorded(file, frames.next());
    const first = await this.unlessUnavailable(next());
    if (file.bytesMissingAt !== null) await this.record(file, false);
    return continued(first, next, () => frames.return(undefined));
  }

  /**
   * This process then holds the file, so there is a limit.
   * @throws DomainError `file_too_large`, `file_missing`, `unavailable`
   */
  async readWhole(file: ReadableFile, maxBytes: number): Promise<Buffer> {
    if (file.bytes > maxBytes) {
      const detail = `The file is larger than ${byteText(maxBytes)}, so it cannot be read here.`;
      throw new DomainError('file_too_large', detail, { extensions: { limit_bytes: maxBytes } });
    }
    const whole = Buffer.alloc(file.bytes);
    let length = 0;
    for await (const chunk of await this.open(file, { first: 0, last: file.bytes - 1 }))
      length += chunk.copy(whole, length);
    return whole;
  }

  /** If that fails, the sweep repeats it. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      try {
        await this.storage.remove(id);
      } catch (error) {
        this.logger.warn({ err: error, fileId: id }, 'files: removing the bytes of a deleted file failed');
      }
    }
  }

  /**
   * Removes bytes whose row could not be inserted. After a failure of the database, the commit may have taken place, so
   * the sweep decides.
   */
  async removeAfter(error: unknown, ids: readonly string[]): Promise<void> {
    if (!(error instanceof DomainError) || error.kind !== 'unavailable') await this.remove(ids);
  }

  private async orRecorded<T>(file: ReadableFile, reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof BytesMissing) {
        this.logger.error({ err: error, fileId: file.id }, 'files: the bytes of a file are missing');
        await this.record(file, true);
      }
      throw error;
    }
  }

  private async record(file: ReadableFile, areMissing: boolean): Promise<void> {
    await this.table.recordBytes(file, areMissing).catch((error: unknown) => {
      this.logger.warn({ err: error, fileId: file.id }, 'files: recording the state of the bytes failed');
    });
  }

  private async unlessUnavailable<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof BytesMissing) {
        throw new DomainError('file_missing', 'The bytes of this file are missing or damaged.', { cause });
      }
      if (!(cause instanceof StorageUnavailable)) throw cause;
      throw storageFailure(cause, this.logger);
    }
  }
}

/**
 * No generator, because a generator that has not started ignores that the reader leaves, and the storage would stay
 * open.
 */
function continued(
  first: IteratorResult<Buffer, unknown>,
  following: () => Promise<IteratorResult<Buffer, unknown>>,
  leave: () => Promise<IteratorResult<Buffer, unknown>>,
): AsyncIterable<Buffer> {
  let pending: typeof first | undefined = first;
  const next = async (): Promise<typeof first> => {
    const result = pending;
    pending = undefined;
    return result ?? following();
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}
