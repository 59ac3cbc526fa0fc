import { Readable } from 'node:stream';

/** A body that is read while it is sent, so that it is never whole in memory. */
export interface StreamedBody {
  /** Exact size in bytes. It is sent as `Content-Length`. */
  bytes: number;
  /**
   * Opens the bytes. Called for each request that is sent, also after a redirect, and must return equal bytes each time.
   * If it throws, nothing is sent and the request fails with this error.
   */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export function isStreamedBody(body: string | Uint8Array | StreamedBody): body is StreamedBody {
  return typeof body === 'object' && 'open' in body;
}

/** A body that is ready to be sent once. */
export interface OpenedBody {
  body: Buffer | Readable | undefined;
  /** Set for a stream, whose size the client cannot know. */
  headers: Readonly<Record<string, string>>;
  /** Must be called when the request is over, sent or not. */
  close(): void;
}

export async function openBody(body: Buffer | StreamedBody | undefined): Promise<OpenedBody> {
  if (body === undefined || !isStreamedBody(body)) return { body, headers: {}, close: () => undefined };
  const stream = Readable.from(await body.open(), { objectMode: false });
  // The exchange reports a stream that fails while it is sent.
  stream.on('error', () => undefined);
  return { body: stream, headers: { 'content-length': String(body.bytes) }, close: () => void stream.destroy() };
}
