import type { SMTPServerDataStream } from 'smtp-server';

export type Received = { kind: 'complete'; raw: Buffer } | { kind: 'too_large' } | { kind: 'no_room' };

/** The mails that are being received, in memory: together never more than a given size, however many clients there are. */
export class MailBuffers {
  private held = 0;

  /** @param limit bytes of all mails together */
  constructor(private readonly limit: number) {}

  /**
   * Reads a mail to its end, which the protocol demands also where it is not kept. What is complete counts until `use` is done
   * with it. Rejects when the client hangs up.
   */
  async receive<T>(stream: SMTPServerDataStream, use: (received: Received) => Promise<T>): Promise<T> {
    const chunks: Buffer[] = [];
    let size = 0;
    const drop = (): void => {
      this.held -= size;
      size = 0;
      chunks.length = 0;
    };
    try {
      let hasRoom = true;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hasRoom &&= this.held + chunk.length <= this.limit;
        if (!hasRoom || stream.sizeExceeded) {
          drop();
          continue;
        }
        chunks.push(chunk);
        size += chunk.length;
        this.held += chunk.length;
      }
      if (stream.sizeExceeded) return await use({ kind: 'too_large' });
      if (!hasRoom) return await use({ kind: 'no_room' });
      return await use({ kind: 'complete', raw: Buffer.concat(chunks) });
    } finally {
      drop();
    }
  }
}
