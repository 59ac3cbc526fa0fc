import { createHash } from 'node:crypto';
import { HEAD_BYTES } from './content-type.js';

export interface ContentFacts {
  bytes: number;
  /** SHA-256, in hexadecimal. */
  sha256: string;
  /** The first bytes, by which the type of the file is found. */
  head: Buffer;
}

/** Passes bytes on, and meanwhile counts and hashes them and keeps the first ones. */
export class ObservedContent implements AsyncIterable<Buffer> {
  private readonly hash = createHash('sha256');
  private readonly beginning: Buffer[] = [];
  private begun = 0;
  private bytes = 0;

  /** @param check called with the number of bytes so far, before they are passed on. It throws if they are too many. */
  constructor(
    private readonly source: AsyncIterable<Buffer>,
    private readonly check: (bytes: number) => void,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.source) {
      this.bytes += chunk.length;
      this.check(this.bytes);
      this.hash.update(chunk);
      if (this.begun < HEAD_BYTES) this.keep(chunk.subarray(0, HEAD_BYTES - this.begun));
      yield chunk;
    }
  }

  /** Returns the facts after the last byte. */
  facts(): ContentFacts {
    return { bytes: this.bytes, sha256: this.hash.digest('hex'), head: Buffer.concat(this.beginning) };
  }

  /** Copies the bytes, because the source may use its buffer again. */
  private keep(bytes: Buffer): void {
    this.beginning.push(Buffer.from(bytes));
    this.begun += bytes.length;
  }
}
