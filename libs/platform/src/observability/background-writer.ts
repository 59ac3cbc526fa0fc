import { write, writeSync } from 'node:fs';
import { types } from 'node:util';

interface WriterLimits {
  /** If the reader is slow and the buffer is full, further lines are dropped. */
  maxWaiting: number;
  /** Maximum duration of a flush in milliseconds if the reader does not read. */
  flushMillis: number;
}

const RETRY_MILLIS = 20;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * If the reader is too slow, lines are dropped, and a later line reports their number. If the reader has closed the
 * pipe (EPIPE), nothing more is written, and the service continues as usual.
 */
export class BackgroundWriter {
  private waiting: string[] = [];
  private waitingLength = 0;
  private unwritten: Buffer = NOTHING;
  private dropped = 0;
  private writing = false;
  private broken = false;

  constructor(
    private readonly fd: number,
    private readonly limits: WriterLimits = { maxWaiting: 16 * 1024 * 1024, flushMillis: 2_000 },
  ) {}

  write(line: string): void {
    if (this.broken) return;
    if (this.waitingLength + line.length > this.limits.maxWaiting) {
      this.dropped++;
      return;
    }
    this.waiting.push(line);
    this.waitingLength += line.length;
    if (!this.writing) this.writeNext();
  }

  /** Takes at most `flushMillis`, unless a write to the descriptor blocks. */
  flushSync(): void {
    const deadline = performance.now() + this.limits.flushMillis;
    let rest = Buffer.concat([this.takeNext(), this.takeNext()]);
    while (rest.length > 0 && !this.broken && performance.now() < deadline) {
      try {
        rest = rest.subarray(writeSync(this.fd, rest));
      } catch (error) {
        if (!isBusy(error)) this.broken = true;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLIS);
      }
    }
  }

  private writeNext(): void {
    const next = this.takeNext();
    this.writing = next.length > 0;
    if (!this.writing) return;
    write(this.fd, next, (error, written) => {
      if (error && !isBusy(error)) this.broken = true;
      this.unwritten = next.subarray(error ? 0 : written);
      if (error) setTimeout(() => this.writeNext(), RETRY_MILLIS).unref();
      else this.writeNext();
    });
  }

  private takeNext(): Buffer {
    const rest = this.unwritten;
    this.unwritten = NOTHING;
    if (this.broken || rest.length > 0) return this.broken ? NOTHING : rest;
    if (this.dropped > 0) this.waiting.push(`{"level":"warn","msg":"${this.dropped} log lines dropped"}\n`);
    const gathered = Buffer.from(this.waiting.join(''));
    this.waiting = [];
    this.waitingLength = this.dropped = 0;
    return gathered;
  }
}

function isBusy(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}
