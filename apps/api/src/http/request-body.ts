import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { byteText, DomainError } from '@app/kernel';

export interface MediaType {
  /** The media type in lower case and without parameters, for example `application/json`. */
  essence: string;
  charset?: string;
}

const PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;

/** Parses a `Content-Type` header (RFC 9110, section 8.3.1). Returns undefined if it is absent. */
export function parseMediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined) return undefined;
  const end = header.indexOf(';');
  const essence = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const match = end < 0 ? null : PARAMETER.exec(header);
  return match ? { essence, charset: (match[1] ?? match[2] ?? '').toLowerCase() } : { essence };
}

export interface BodyRules {
  /** Accepted media types. Any other type is rejected with 415. */
  types: readonly string[];
  /** Maximum size of the body in bytes. */
  limit: number;
}

export interface TextBody {
  text: string;
  /** One of {@link BodyRules.types}. Undefined if the request has no body. */
  type?: string;
}

/**
 * Reads the body and removes its byte order mark. Returns an empty string if there is no body.
 * @throws DomainError `unsupported_media_type`, `payload_too_large`, or `invalid_request` if the body is not UTF-8
 */
export async function readTextBody(request: IncomingMessage, rules: BodyRules): Promise<TextBody> {
  if (!hasBody(request)) return { text: '' };
  const type = acceptedType(request, rules);
  if (Number(request.headers['content-length'] ?? 0) > rules.limit) throw tooLarge(rules.limit);
  return { text: utf8Text(await collect(request, rules.limit)), type };
}

function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new DomainError('invalid_request', 'The body is not valid UTF-8. Encode it as UTF-8.');
  return new TextDecoder().decode(bytes);
}

/**
 * Reads the whole body. Returns an empty buffer if there is no body.
 * @throws DomainError `unsupported_media_type` if the body is compressed, `payload_too_large`, or `invalid_request`
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  assertPlain(request);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return collect(request, limit);
}

/**
 * Returns the bytes of the body as they arrive. If the caller stops reading, the connection stays open for the response.
 * The iteration throws `invalid_request` if the body ends early.
 * @throws DomainError `unsupported_media_type` if the body is compressed
 */
export function streamedBody(request: IncomingMessage): AsyncIterable<Buffer> {
  assertPlain(request);
  return bodyChunks(request);
}

async function* bodyChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw cause instanceof DomainError ? cause : endedEarly(cause);
  } finally {
    // Discards what nobody reads. Otherwise the client could not use the connection again.
    request.resume();
  }
  if (!request.complete) throw endedEarly();
}

function endedEarly(cause?: unknown): DomainError {
  const detail = 'The body ended before its declared length. Send the request again.';
  return new DomainError('invalid_request', detail, { cause });
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** @throws DomainError `unsupported_media_type` if the body is compressed */
export function assertPlain({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw unsupported(`The Content-Encoding ${JSON.stringify(encoding)} is not supported. Send the body uncompressed.`);
}

/** Returns the media type of the body. @throws DomainError `unsupported_media_type` if it is not one of `types` */
function acceptedType(request: IncomingMessage, { types }: Pick<BodyRules, 'types'>): string {
  assertPlain(request);
  const { headers } = request;
  const media = parseMediaType(headers['content-type']);
  if (!media || !types.includes(media.essence)) throw unsupportedType(media, types.join(', '), types[0]);
  if (media.charset !== undefined && media.charset !== 'utf-8' && media.charset !== 'utf8') {
    throw unsupportedCharset(media.charset);
  }
  return media.essence;
}

/** Collects the body. Does not read bytes beyond the limit; Node discards them after the response. */
function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (outcome: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onEarlyEnd).off('close', onEarlyEnd);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    const onEarlyEnd = (): void => settle(() => reject(endedEarly()));
    request.on('data', onData).on('end', onEnd).on('error', onEarlyEnd).on('close', onEarlyEnd);
  });
}

/** @param what the part of the request that has more than `limit` bytes */
export function tooLarge(limit: number, what = 'body'): DomainError {
  return new DomainError('payload_too_large', `The ${what} is larger than ${byteText(limit)}. Send less data.`, {
    extensions: { limit_bytes: limit },
  });
}

/** @param accepted names of the accepted media types @param best the type that the message suggests */
export function unsupportedType(
  media: MediaType | undefined,
  accepted: string,
  best = 'application/json',
): DomainError {
  const given = media?.essence ? `is ${JSON.stringify(media.essence)}` : 'is missing';
  return unsupported(
    `The Content-Type ${given}. This operation accepts ${accepted}. Send the header Content-Type: ${best}.`,
  );
}

export function unsupportedCharset(charset: string): DomainError {
  return unsupported(`The charset ${JSON.stringify(charset)} is not supported. Send UTF-8.`);
}

function unsupported(detail: string): DomainError {
  return new DomainError('unsupported_media_type', detail);
}
