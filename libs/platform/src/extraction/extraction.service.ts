import { fileURLToPath } from 'node:url';
import { DomainError } from '@app/kernel';
import {
  type PoolSettings,
  ProcessPool,
  SandboxFailure,
  SandboxLimitExceeded,
  SandboxUnavailable,
} from '@app/platform/sandbox';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DocumentError } from './document-error.js';
import { extract } from './extract.js';
import type { ExtractedText, ExtractionRequest } from './extracted-text.js';
import { documentKind } from './media-kind.js';

/** Two cores read faster than most sources answer. */
const SETTINGS: PoolSettings = {
  program: fileURLToPath(new URL('./extraction-program.js', import.meta.url)),
  processes: 2,
  heapMegabytes: 512,
  // A document of 100 MiB, what it unpacks to and its text are outside of the heap.
  totalMegabytes: 1_536,
  cpuMillis: 60_000,
  millis: 300_000,
};

/** Reading plain text is no more than decoding it, in time in proportion to it. What is short is not worth the way to another process. */
const SHORT_BYTES = 64 * 1_024;

/** Reads documents in processes of their own, within limits of memory and time. As many are read at once as there are processes. */
@Injectable()
export class ExtractionService implements OnApplicationShutdown {
  private readonly settings: PoolSettings = SETTINGS;
  private readonly pool = new ProcessPool<ExtractionRequest, ExtractedText>(SETTINGS);

  /** For tests, which run from sources. */
  static with(changes: Partial<PoolSettings>): ExtractionService {
    const settings = { ...SETTINGS, ...changes };
    return Object.assign(new ExtractionService(), { settings, pool: new ProcessPool(settings) });
  }

  /**
   * @throws DocumentError where it cannot be read, or not within the limits; the signal's reason once that has aborted
   * @throws DomainError `unavailable` where no process can read it now
   */
  async extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractedText> {
    signal.throwIfAborted();
    if (isShortText(request)) return extract(request);
    try {
      return await this.pool.handle(request, signal);
    } catch (error) {
      if (error instanceof SandboxLimitExceeded) throw this.limitError(error);
      if (error instanceof SandboxFailure && error.name === 'DocumentError')
        throw new DocumentError(error.code, error.message);
      if (error instanceof SandboxFailure)
        throw new DocumentError('document_unreadable', 'The document cannot be read.', { cause: error });
      if (error instanceof SandboxUnavailable)
        throw new DomainError('unavailable', 'Documents cannot be read at the moment.', { cause: error });
      throw error;
    }
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }

  private limitError(cause: SandboxLimitExceeded): DocumentError {
    const { cpuMillis, heapMegabytes } = this.settings;
    const message = `The document needs more than ${cpuMillis / 1_000} s or ${heapMegabytes} MB to be read.`;
    return new DocumentError('document_unreadable', message, { cause });
  }
}

function isShortText({ bytes, contentType, url }: ExtractionRequest): boolean {
  const kind = documentKind(bytes, contentType, url);
  return (kind === 'markdown' || kind === 'text') && bytes.length <= SHORT_BYTES;
}
