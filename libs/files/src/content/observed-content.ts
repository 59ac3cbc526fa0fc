import { createHash } from 'node:crypto';
import { HEAD_BYTES } from './content-type.js';

export interface ContentFacts {
  bytes: number;
  sha256: string;
  head: Buffer;
}

export class ObservedContent implements AsyncIterable<Buffer> {
  private readonly hash = createHash('sha256');
  private readonly beginning: Buffer[] = [];
  private begun = 0;
  private bytes = 0;

  /** `check` throws if the bytes are too many. */
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

  facts(): ContentFacts {
    return { bytes: this.bytes, sha256: this.hash.digest('hex'), head: Buffer.concat(this.beginning) };
  }

  /** Copies the bytes, because the source may use its buffer again. */
  private keep(bytes: Buffer): void {
    this.beginning.push(Buffer.from(bytes));
    this.begun += bytes.length;
  }
}
