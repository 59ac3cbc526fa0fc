import { newId } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { BytesMissing, FileStorage, StorageUnavailable } from '../storage/file-storage.js';
import { newFileKey, openFrames, sealedRange, sealFrames } from '../storage/sealed-frames.js';
import { storageFailure } from './storage-failure.js';

/** Content up to this number of bytes stays in memory. */
const WINDOW_BYTES = 64 * 1024;

export interface HeldContent {
  readonly bytes: number;
  /**
   * The content can be read several times.
   * @throws DomainError `unavailable`
   */
  read(): AsyncIterable<Buffer>;
}

/** Holds content that has arrived and that the service may have to read more than once, for example a mail. */
@Injectable()
export class HeldContentsService {
  constructor(
    private readonly storage: FileStorage,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Content that is larger than a window is in the storage of files until `use` settles, encrypted with a key that only
   * this process has. After a crash, the sweep removes it.
   * @throws DomainError `unavailable`, and the errors of the source and of `use`
   */
  async hold<T>(source: AsyncIterable<Buffer>, use: (held: HeldContent) => Promise<T>): Promise<T> {
    const head = Buffer.allocUnsafeSlow(WINDOW_BYTES);
    let filled = 0;
    const incoming = source[Symbol.asyncIterator]();
    for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
      if (filled + next.value.length > WINDOW_BYTES)
        return this.holdStored(continued([head.subarray(0, filled), next.value], incoming), use);
      filled += next.value.copy(head, filled);
    }
    return use(inMemory(head.subarray(0, filled)));
  }

  private async holdStored<T>(source: AsyncIterable<Buffer>, use: (held: HeldContent) => Promise<T>): Promise<T> {
    const id = newId('file');
    const key = newFileKey();
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    try {
      await this.storage.put(id, sealFrames(counted(), key));
    } catch (cause) {
      throw this.explained(cause);
    }
    try {
      return await use({ bytes, read: () => this.read(id, key, bytes) });
    } finally {
      await this.remove(id);
    }
  }

  private async *read(id: string, key: Buffer, bytes: number): AsyncGenerator<Buffer> {
    const range = { first: 0, last: bytes - 1 };
    try {
      yield* openFrames(this.storage.read(id, sealedRange(range, bytes)), key, range, bytes);
    } catch (cause) {
      throw this.explained(cause);
    }
  }

  private async remove(id: string): Promise<void> {
    await this.storage.remove(id).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'files: removing held content failed');
    });
  }

  private explained(cause: unknown): unknown {
    const isStorage = cause instanceof StorageUnavailable || cause instanceof BytesMissing;
    return isStorage ? storageFailure(cause, this.logger) : cause;
  }
}

function inMemory(content: Buffer): HeldContent {
  return {
    bytes: content.length,
    async *read() {
      yield content;
    },
  };
}

async function* continued(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
