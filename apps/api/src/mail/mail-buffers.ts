import type { SMTPServerDataStream } from 'smtp-server';

export type Received = { kind: 'complete'; raw: Buffer } | { kind: 'too_large' } | { kind: 'no_room' };

/** Size of a block in bytes. A mail is copied into blocks, because many small chunks would occupy more memory. */
const BLOCK_BYTES = 64 * 1024;

/** Buffers incoming mails in memory. All clients share one limit. */
export class MailBuffers {
  private held = 0;

  /** @param limit maximum number of bytes of the blocks of all mails */
  constructor(private readonly limit: number) {}

  get heldBytes(): number {
    return this.held;
  }

  /**
   * Reads a mail to its end, because the protocol requires this even for a rejected mail. Then calls `use`. The bytes
   * of the mail count towards the limit until the promise of `use` settles. Rejects if the client disconnects.
   */
  async receive<T>(stream: SMTPServerDataStream, use: (received: Received) => Promise<T>): Promise<T> {
    const blocks: Buffer[] = [];
    let size = 0;
    const drop = (): void => {
      this.held -= blocks.length * BLOCK_BYTES;
      size = 0;
      blocks.length = 0;
    };
    /** Copies the chunk into blocks. Returns false if a new block would exceed the limit. */
    const keep = (chunk: Buffer): boolean => {
      for (let at = 0; at < chunk.length;) {
        let block = blocks.at(-1);
        if (!block || size === blocks.length * BLOCK_BYTES) {
          if (this.held + BLOCK_BYTES > this.limit) return false;
          block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
          blocks.push(block);
          this.held += BLOCK_BYTES;
        }
        const copied = chunk.copy(block, size % BLOCK_BYTES, at);
        at += copied;
        size += copied;
      }
      return true;
    };
    try {
      let hasRoom = true;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hasRoom &&= stream.sizeExceeded || keep(chunk);
        if (!hasRoom || stream.sizeExceeded) drop();
      }
      if (stream.sizeExceeded) return await use({ kind: 'too_large' });
      if (!hasRoom) return await use({ kind: 'no_room' });
      const raw = Buffer.concat(blocks, size);
      // Frees the blocks. They still count towards the limit, because `raw` now occupies about as much memory.
      blocks.fill(EMPTY);
      return await use({ kind: 'complete', raw });
    } finally {
      drop();
    }
  }
}

const EMPTY = Buffer.alloc(0);
