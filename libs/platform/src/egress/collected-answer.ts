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
import { RestOfBody } from './rest-of-body.js';

type Decoder = BrotliDecompress | ReturnType<typeof createInflateRaw>;

export interface CollectorEvents {
  finished(body: Buffer, truncated: boolean): void;
  /** Called with the beginning of a body that is longer than the limit. Returns undefined to cut the body off. */
  exceeded(beginning: Buffer): RestOfBody | undefined;
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
  private rest: RestOfBody | undefined;

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
    return this.decoder ? this.decoder.write(chunk) : this.take(chunk);
  }

  resume(): void {
    if (this.decoder) this.decoder.resume();
    else this.events.drained();
  }

  end(): void {
    if (this.decoder) this.decoder.end();
    else this.finish(false);
  }

  discard(): void {
    this.done = true;
    this.decoder?.destroy();
  }

  /** Returns false if the body has no reader of its rest that could receive the error. */
  failRest(error: EgressError): boolean {
    this.rest?.fail(error);
    return this.rest !== undefined;
  }

  private openDecoder(firstChunk: Buffer): Decoder | undefined {
    const decoder = createDecoder(this.coding, firstChunk);
    if (!decoder) return undefined;
    decoder.on('data', (chunk: Buffer) => {
      if (!this.take(chunk)) decoder.pause();
    });
    decoder.on('drain', () => this.events.drained());
    decoder.on('end', () => this.finish(false));
    decoder.on('error', (cause) => {
      if (!this.done) this.events.failed(cause);
    });
    return decoder;
  }

  /** Returns false to request a pause. */
  private take(chunk: Buffer): boolean {
    if (this.done) return true;
    if (this.rest) return this.rest.write(chunk);
    const room = this.limit - this.length;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length <= room) return true;
    this.rest = this.events.exceeded(Buffer.concat(this.chunks, this.length));
    if (this.rest) return this.rest.write(chunk.subarray(room));
    this.finish(true);
    return true;
  }

  private finish(truncated: boolean): void {
    if (this.done) return;
    this.discard();
    if (this.rest) this.rest.end();
    else this.events.finished(Buffer.concat(this.chunks, this.length), truncated);
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
  /** The bytes after `body`, if the request wanted them. The caller must read it to its end or cancel it. */
  rest?: ReadableStream<Uint8Array>;
}

export class CollectedAnswer implements AnswerReader {
  readonly response: Promise<IncomingResponse>;
  private resolve!: (response: IncomingResponse) => void;
  private reject!: (error: EgressError) => void;
  private collector: BodyCollector | undefined;

  /** @param released called when no more bytes arrive */
  constructor(
    private readonly maxBytes: number,
    private readonly wantsRest: (response: IncomingResponse) => boolean = () => false,
    private readonly released: () => void = () => undefined,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  begin(head: ResponseHead, feed: AnswerFeed): void {
    const coding = (head.headers['content-encoding'] ?? '').trim().toLowerCase();
    const collector = new BodyCollector(coding, this.maxBytes, {
      finished: (body, truncated) => {
        this.resolve({ body, truncated, ...head });
        feed.finish(truncated);
        this.released();
      },
      exceeded: (body) => {
        const beginning = { body, truncated: true, ...head };
        if (!this.wantsRest(beginning)) return undefined;
        const rest = new RestOfBody(feed, () => collector.resume(), this.released);
        this.resolve({ ...beginning, rest: rest.stream });
        return rest;
      },
      failed: (cause) => feed.cancel('protocol', 'The compressed body is damaged.', cause),
      drained: () => feed.resume(),
    });
    this.collector = collector;
  }

  write(chunk: Buffer): boolean {
    return this.collector?.write(chunk) ?? true;
  }

  end(): void {
    this.collector?.end();
  }

  fail(error: EgressError): void {
    this.collector?.discard();
    if (!this.collector?.failRest(error)) this.reject(error);
    this.released();
  }
}
