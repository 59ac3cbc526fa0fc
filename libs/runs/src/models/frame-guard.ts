import { AnswerGuard } from './answer-guard.js';

/** Total length, length of the headers, and a checksum, each a number of four bytes. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** Applies the limit of {@link AnswerGuard} to each message of a binary event stream of AWS. */
export class FrameGuard {
  private prelude: number[] = [];
  private headerBytes = 0;
  private payloadBytes = 0;
  private checksumBytes = 0;
  private guard = new AnswerGuard(false);

  /** @throws EgressError `too_large` if a message contains too many values */
  check(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.headerBytes > 0) at += this.skip('headerBytes', chunk.length - at);
      else if (this.payloadBytes > 0) {
        const end = at + Math.min(this.payloadBytes, chunk.length - at);
        this.guard.check(chunk.subarray(at, end));
        this.payloadBytes -= end - at;
        at = end;
      } else if (this.checksumBytes > 0) at += this.skip('checksumBytes', chunk.length - at);
      else this.addToPrelude(chunk[at++] ?? 0);
    }
  }

  private skip(kind: 'headerBytes' | 'checksumBytes', available: number): number {
    const count = Math.min(this[kind], available);
    this[kind] -= count;
    return count;
  }

  private addToPrelude(byte: number): void {
    this.prelude.push(byte);
    if (this.prelude.length < PRELUDE_BYTES) return;
    const view = Buffer.from(this.prelude);
    const [total, headers] = [view.readUInt32BE(0), view.readUInt32BE(4)];
    this.prelude = [];
    this.headerBytes = headers;
    this.payloadBytes = Math.max(0, total - headers - PRELUDE_BYTES - CHECKSUM_BYTES);
    this.checksumBytes = CHECKSUM_BYTES;
    this.guard = new AnswerGuard(false);
  }
}
