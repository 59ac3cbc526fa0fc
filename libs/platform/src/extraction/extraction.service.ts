import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import {
  type PoolSettings,
  ProcessPool,
  SandboxFailure,
  SandboxLimitExceeded,
  SandboxUnavailable,
} from '@app/platform/sandbox';
import { DocumentError, type ExtractedText, type ExtractionRequest } from './extracted-text.js';
import { extract } from './extract.js';
import { documentKind } from './media-kind.js';

/** Two processes are enough, because they extract text faster than most sources deliver documents. */
const SETTINGS: PoolSettings = {
  program: fileURLToPath(new URL('./extraction-program.js', import.meta.url)),
  processes: 2,
  heapMegabytes: 512,
  // A document of 100 MiB, its unpacked parts and its text need memory outside the heap.
  totalMegabytes: 1_536,
  cpuMillis: 60_000,
  millis: 300_000,
};

/** Decoding such a text takes linear time and is safe. Other documents are read in a child process. */
const SHORT_BYTES = 64 * 1_024;

@Injectable()
export class ExtractionService implements OnApplicationShutdown {
  private readonly settings: PoolSettings = SETTINGS;
  private readonly pool = new ProcessPool<ExtractionRequest, ExtractedText>(SETTINGS);

  static with(changes: Partial<PoolSettings>): ExtractionService {
    const settings = { ...SETTINGS, ...changes };
    return Object.assign(new ExtractionService(), { settings, pool: new ProcessPool(settings) });
  }

  /**
   * @throws DocumentError if the document cannot be read within the limits
   * @throws DomainError `unavailable` if no process can start
   * @throws the reason of the signal if the signal is aborted
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
        throw new DomainError('unavailable', 'Documents cannot be read at the moment. Retry later.', { cause: error });
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
