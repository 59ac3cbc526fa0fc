import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib';
import type { EgressError } from './egress-error.js';
import type { AnswerFeed, AnswerReader } from './exchange.js';
import type { ResponseHead } from './response-head.js';

type Decoder = BrotliDecompress | ReturnType<typeof createInflateRaw>;

export interface CollectorEvents {
  finished(body: Buffer, truncated: boolean): void;
  failed(cause: unknown): void;
  drained(): void;
}

/** Never buffers much more than this limit. */
export class BodyCollector {
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private done = false;
  private isFirst = true;
  private decoder: Decoder | undefined;

  constructor(
    /** Unknown and combined encodings are not decoded. */
    private readonly coding: string,
    private readonly limit: number,
    private readonly events: CollectorEvents,
  ) {}

  /** Returns false to request a pause until `drained` is called. */
  write(chunk: Buffer): boolean {
    if (this.done) return true;
    if (this.isFirst) this.decoder = this.openDecoder(chunk);
    this.isFirst = false;
    if (this.decoder) return this.decoder.write(chunk);
    this.take(chunk);
    return true;
  }

  end(): void {
    if (this.decoder) this.decoder.end();
    else this.finish(false);
  }

  discard(): void {
    this.done = true;
    this.decoder?.destroy();
  }

  private openDecoder(firstChunk: Buffer): Decoder | undefined {
    const decoder = createDecoder(this.coding, firstChunk);
    if (!decoder) return undefined;
    decoder.on('data', (chunk: Buffer) => this.take(chunk));
    decoder.on('drain', () => this.events.drained());
    decoder.on('end', () => this.finish(false));
    decoder.on('error', (cause) => {
      if (!this.done) this.events.failed(cause);
    });
    return decoder;
  }

  private take(chunk: Buffer): void {
    if (this.done) return;
    const room = this.limit - this.length;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length > room) this.finish(true);
  }

  private finish(truncated: boolean): void {
    if (this.done) return;
    this.discard();
    this.events.finished(Buffer.concat(this.chunks, this.length), truncated);
  }
}

function createDecoder(coding: string, firstChunk: Buffer): Decoder | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      // Some proxies decompress a body and keep the header. Compressed data always begins with this byte (RFC 1952).
      return firstChunk[0] === 0x1f ? createGunzip() : undefined;
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // RFC 9110 defines `deflate` as the zlib format, but some servers send raw deflate. Only a zlib header has the
      // value 8 in these bits.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return undefined;
  }
}

export interface IncomingResponse extends ResponseHead {
  body: Buffer;
  truncated: boolean;
}

export class CollectedAnswer implements AnswerReader {
  readonly response: Promise<IncomingResponse>;
  private resolve!: (response: IncomingResponse) => void;
  private reject!: (error: EgressError) => void;
  private collector: BodyCollector | undefined;

  constructor(private readonly maxBytes: number) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  begin(head: ResponseHead, feed: AnswerFeed): void {
    const coding = (head.headers['content-encoding'] ?? '').trim().toLowerCase();
    this.collector = new BodyCollector(coding, this.maxBytes, {
      finished: (body, truncated) => {
        this.resolve({ body, truncated, ...head });
        feed.finish(truncated);
      },
      failed: (cause) => feed.cancel('protocol', 'The compressed body is damaged.', cause),
      drained: () => feed.resume(),
    });
  }

  write(chunk: Buffer): boolean {
    return this.collector?.write(chunk) ?? true;
  }

  end(): void {
    this.collector?.end();
  }

  fail(error: EgressError): void {
    this.collector?.discard();
    this.reject(error);
  }
}
