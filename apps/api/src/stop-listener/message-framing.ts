/**
 * The kind of body after the head of an HTTP message. A number is the length of the body in bytes. `unknown` is a body
 * of unknown length. `interim` is an interim response such as 100, after which another head follows.
 */
export type MessageBody = number | 'chunked' | 'unknown' | 'interim';

const END_OF_HEAD = '\r\n\r\n';
/** Maximum length of a head in characters. Node rejects request heads of more than 16 KiB. */
const LONGEST_HEAD = 64 * 1024;
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,8})\r\n$/;
const LONGEST_CHUNK_SIZE = 10;

/**
 * Finds the ends of HTTP/1.1 messages in a stream of bytes. Interprets only syntax that all HTTP implementations
 * interpret in the same way. After any other syntax, this class finds no more ends, and {@link isUnknown} stays true.
 */
export class MessageFraming {
  private state: 'head' | 'sized' | 'chunk-size' | 'chunk' | 'trailer' | 'unknown' = 'head';
  /** The beginning of a head, chunk size or trailer that continues in the next bytes. */
  private partial = '';
  /** Number of bytes of the body or chunk that have not arrived yet. */
  private left = 0;
  private begun = false;

  /**
   * @param bodyAfter returns the kind of body that follows a head. The argument is the head with its last line break.
   */
  constructor(private readonly bodyAfter: (head: string) => MessageBody) {}

  /** Whether the next byte begins a message. */
  get isAtBoundary(): boolean {
    return !this.begun;
  }

  get isUnknown(): boolean {
    return this.state === 'unknown';
  }

  /**
   * Reads from `at` to the end of the current message, or to the end of the bytes. Returns the position after the last
   * byte that it read.
   */
  consume(bytes: Buffer, at: number): number {
    let position = at;
    while (position < bytes.length) {
      this.begun = true;
      if (this.state === 'unknown') return bytes.length;
      if (this.state === 'head') position = this.readHead(bytes, position);
      else if (this.state === 'sized' || this.state === 'chunk') position = this.skipBody(bytes, position);
      else position = this.readChunkLine(bytes, position);
      if (this.isAtBoundary) return position;
    }
    return position;
  }

  private readHead(bytes: Buffer, at: number): number {
    const found = this.partial === '' ? bytes.indexOf(END_OF_HEAD, at, 'latin1') : -1;
    if (found >= 0) return this.startBody(bytes.toString('latin1', at, found + 2), found + END_OF_HEAD.length);
    const text = this.partial + bytes.toString('latin1', at);
    const end = text.indexOf(END_OF_HEAD, Math.max(0, this.partial.length - END_OF_HEAD.length + 1));
    if (end >= 0) {
      const position = at + end + END_OF_HEAD.length - this.partial.length;
      this.partial = '';
      return this.startBody(text.slice(0, end + 2), position);
    }
    this.partial = text;
    if (text.length > LONGEST_HEAD) this.giveUp();
    return bytes.length;
  }

  private startBody(head: string, position: number): number {
    const body = head.length > LONGEST_HEAD ? 'unknown' : this.bodyAfter(head);
    if (body === 'unknown') this.giveUp();
    else if (body === 'chunked') this.state = 'chunk-size';
    else if (body === 0) this.begun = false;
    else if (body !== 'interim') {
      this.state = 'sized';
      this.left = body;
    }
    return position;
  }

  private skipBody(bytes: Buffer, at: number): number {
    const skipped = Math.min(this.left, bytes.length - at);
    this.left -= skipped;
    if (this.left === 0) {
      if (this.state === 'sized') this.endMessage();
      else this.state = 'chunk-size';
    }
    return at + skipped;
  }

  /** Reads the line with the size of a chunk, or the empty line after the last chunk. */
  private readChunkLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\n', at, 'latin1');
    const position = end < 0 ? bytes.length : end + 1;
    const line = this.partial + bytes.toString('latin1', at, position);
    this.partial = end < 0 ? line : '';
    if (end < 0) {
      if (line.length > LONGEST_CHUNK_SIZE) this.giveUp();
    } else if (this.state === 'trailer') {
      if (line === '\r\n') this.endMessage();
      else this.giveUp();
    } else this.startChunk(CHUNK_SIZE.exec(line)?.[1]);
    return position;
  }

  private startChunk(size: string | undefined): void {
    if (size === undefined) return this.giveUp();
    const length = Number.parseInt(size, 16);
    this.state = length === 0 ? 'trailer' : 'chunk';
    this.left = length + 2;
  }

  private endMessage(): void {
    this.state = 'head';
    this.begun = false;
  }

  private giveUp(): void {
    this.state = 'unknown';
    this.partial = '';
  }
}
