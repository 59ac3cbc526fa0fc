import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DocumentError } from '../connectors/source-error.js';
import { extract } from './extract.js';
import type { ExtractedText, ExtractionRequest } from './extracted-text.js';
import { documentKind } from './media-kind.js';

export interface ExtractionLimits {
  processes: number;
  /** Of one process's JavaScript heap. */
  megabytes: number;
  /** For one document. */
  millis: number;
  /** Path of the process's compiled code. */
  program: string;
}

/** Two cores read faster than most sources answer. */
const LIMITS: ExtractionLimits = {
  processes: 2,
  megabytes: 512,
  millis: 60_000,
  program: fileURLToPath(new URL('./extraction-process.js', import.meta.url)),
};

type Answer = { text: ExtractedText } | { failure: { code: string; message: string } };

/** Reading plain text is no more than decoding it, in time in proportion to it. What is short is not worth the way to another process. */
const SHORT_BYTES = 64 * 1_024;

/**
 * Reads documents in processes of their own, within limits of memory and time. Threads would not do: one that runs out of memory in
 * a single allocation takes the whole process with it. These know nothing but the document: no key and no address is in their
 * environment. As many documents are read at once as there are processes; the others wait, with their bytes.
 */
@Injectable()
export class ExtractionPool implements OnApplicationShutdown {
  private readonly limits: ExtractionLimits = LIMITS;
  private readonly idle: ChildProcess[] = [];
  private readonly all = new Set<ChildProcess>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;

  /** For tests, which run from sources. */
  static with(limits: Partial<ExtractionLimits>): ExtractionPool {
    return Object.assign(new ExtractionPool(), { limits: { ...LIMITS, ...limits } });
  }

  /** @throws DocumentError where it cannot be read, or not within the limits; the signal's reason once that has aborted */
  async extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractedText> {
    signal.throwIfAborted();
    if (isShortText(request)) return extract(request);
    if (this.busy >= this.limits.processes) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy += 1;
    try {
      signal.throwIfAborted();
      return await this.read(request);
    } finally {
      this.busy -= 1;
      this.waiting.shift()?.();
    }
  }

  onApplicationShutdown(): void {
    for (const child of this.all) child.kill('SIGKILL');
  }

  private async read(request: ExtractionRequest): Promise<ExtractedText> {
    const child = this.idle.pop() ?? this.start();
    const answer = await answerOf(child, request, AbortSignal.timeout(this.limits.millis));
    if (answer === undefined) {
      child.kill('SIGKILL');
      const { millis, megabytes } = this.limits;
      const message = `The document needs more than ${millis / 1_000} s or ${megabytes} MB to be read.`;
      throw new DocumentError('document_unreadable', message);
    }
    this.idle.push(child);
    if ('text' in answer) return answer.text;
    throw new DocumentError(answer.failure.code, answer.failure.message);
  }

  private start(): ChildProcess {
    const child = fork(this.limits.program, {
      execArgv: [`--max-old-space-size=${this.limits.megabytes}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // One that could not be started, or is gone before it was asked, does not answer.
    child.on('error', () => undefined);
    this.all.add(child);
    child.on('exit', () => {
      this.all.delete(child);
      const place = this.idle.indexOf(child);
      if (place >= 0) this.idle.splice(place, 1);
    });
    return child;
  }
}

function isShortText({ bytes, contentType, url }: ExtractionRequest): boolean {
  const kind = documentKind(bytes, contentType, url);
  return (kind === 'markdown' || kind === 'text') && bytes.length <= SHORT_BYTES;
}

/** Undefined where the process ended, or the time was over. */
function answerOf(child: ChildProcess, request: ExtractionRequest, limit: AbortSignal): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: Answer): void => {
      child.off('message', answered).off('exit', over).off('error', over);
      limit.removeEventListener('abort', over);
      resolve(answer);
    };
    const answered = (answer: unknown): void => settle(answer as Answer);
    const over = (): void => settle();
    child.on('message', answered).on('exit', over).on('error', over);
    limit.addEventListener('abort', over);
    child.send({ ...request }, (error) => error && over());
  });
}
