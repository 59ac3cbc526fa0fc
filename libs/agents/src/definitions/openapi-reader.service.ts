import { fileURLToPath } from 'node:url';
import { UnusableDocument } from '@app/definition';
import {
  type PoolSettings,
  ProcessPool,
  SandboxFailure,
  SandboxLimitExceeded,
  SandboxUnavailable,
} from '@app/platform/sandbox';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { handle, type OpenapiDescription, type OpenapiRequest } from './openapi-program.js';

const SETTINGS: PoolSettings = {
  program: fileURLToPath(new URL('./openapi-program.js', import.meta.url)),
  processes: 2,
  heapMegabytes: 512,
  totalMegabytes: 1_024,
  // A YAML document of 8 MiB needs about 5 s. Small values in lists need the most time: 5 s for each MiB.
  cpuMillis: 40_000,
  millis: 120_000,
  // Documents are read when versions are created, which is seldom, and a process keeps the memory of its last document.
  endsAfterRequest: true,
};

/** Length in characters up to which documents are read in this process, which takes less time than starting another. */
const SHORT_TEXT = 64 * 1024;
/** Time in milliseconds for which a document waits until fewer other documents are being read. */
const WAIT_MILLIS = 30_000;

/** Long documents are read in child processes. */
@Injectable()
export class OpenapiReaderService implements OnApplicationShutdown {
  private readonly settings: PoolSettings = SETTINGS;
  private readonly pool = new ProcessPool<OpenapiRequest, OpenapiDescription>(SETTINGS);

  /** Tests run from TypeScript sources. */
  static with(changes: Partial<PoolSettings>): OpenapiReaderService {
    const settings = { ...SETTINGS, ...changes };
    return Object.assign(new OpenapiReaderService(), { settings, pool: new ProcessPool(settings) });
  }

  /**
   * @throws UnusableDocument
   * @throws SandboxUnavailable if no process could read the document
   */
  async describe(request: OpenapiRequest): Promise<OpenapiDescription> {
    if (lengthOf(request) <= SHORT_TEXT) return handle(request);
    const wait = AbortSignal.timeout(WAIT_MILLIS);
    try {
      return await this.pool.handle(request, wait);
    } catch (error) {
      if (error instanceof SandboxLimitExceeded) throw this.limitError();
      if (error instanceof SandboxFailure && error.name === 'UnusableDocument')
        throw new UnusableDocument(error.message);
      if (error === wait.reason) throw new SandboxUnavailable('too many other documents are being read');
      throw error;
    }
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }

  private limitError(): UnusableDocument {
    const { cpuMillis, heapMegabytes } = this.settings;
    return new UnusableDocument(
      `Reading the document needs more than ${cpuMillis / 1_000} s of CPU time or ${heapMegabytes} MB of memory. Convert the document to JSON, or remove the operations that the agent does not use from it.`,
    );
  }
}

function lengthOf({ content, further }: OpenapiRequest): number {
  const own = typeof content === 'string' ? content.length : 0;
  return further.reduce((sum, { text }) => sum + text.length, own);
}
