import type { HeldContent, HeldContentsService } from '@app/files';
import type { SMTPServerDataStream } from 'smtp-server';

export type Received = { kind: 'complete'; content: HeldContent } | { kind: 'too_large' } | { kind: 'no_room' };

/** Receives mails. All clients share one limit for the bytes that are held, in memory or in the storage of files. */
export class IncomingMails {
  private held = 0;

  /** @param limit maximum number of bytes of all mails together */
  constructor(
    private readonly contents: Pick<HeldContentsService, 'hold'>,
    private readonly limit: number,
  ) {}

  get heldBytes(): number {
    return this.held;
  }

  /**
   * Reads a mail to its end, because the protocol requires this even for a rejected mail. Then calls `use`. The bytes
   * of the mail count towards the limit until the promise of `use` settles. Rejects if the client disconnects, and with
   * DomainError `unavailable` if the storage does not answer.
   */
  async receive<T>(stream: SMTPServerDataStream, use: (received: Received) => Promise<T>): Promise<T> {
    const mail = { bytes: 0 };
    try {
      return await this.contents.hold(this.counted(stream, mail), (content) => use({ kind: 'complete', content }));
    } catch (error) {
      await readToEnd(stream);
      this.release(mail);
      if (!(error instanceof NotReceived)) throw error;
      return await use({ kind: stream.sizeExceeded ? 'too_large' : 'no_room' });
    } finally {
      this.release(mail);
    }
  }

  private async *counted(stream: SMTPServerDataStream, mail: { bytes: number }): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(stream)) {
      mail.bytes += chunk.length;
      this.held += chunk.length;
      if (stream.sizeExceeded || this.held > this.limit) throw new NotReceived();
      yield chunk;
    }
    if (stream.sizeExceeded) throw new NotReceived();
  }

  private release(mail: { bytes: number }): void {
    this.held -= mail.bytes;
    mail.bytes = 0;
  }
}

class NotReceived extends Error {}

async function readToEnd(stream: SMTPServerDataStream): Promise<void> {
  const rest = chunksOf(stream)[Symbol.asyncIterator]();
  while (!(await rest.next()).done);
}

/** The caller may stop reading and continue later. */
function chunksOf(stream: SMTPServerDataStream): AsyncIterable<Buffer> {
  return stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}
