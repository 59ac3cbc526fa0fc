import { isJsonObject, type JsonValue } from '@app/kernel';
import { AnswerGuard } from './answer-guard.js';
import { ReportedError } from './reported-error.js';

/** Total length, length of the headers, and a checksum, each a number of four bytes. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Kept part of the headers and of the payload of an error. */
const MAX_KEPT_BYTES = 8 * 1024;

/** HTTP statuses of the exceptions of `ConverseStream`. The broken stream of a model may work when it is repeated. */
const STATUSES: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 503,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};

/** The library passes on their texts only, so that a throttled request looks like any other. */
export class FrameGuard {
  private prelude: number[] = [];
  private headerBytes = 0;
  private payloadBytes = 0;
  private checksumBytes = 0;
  private guard = new AnswerGuard(false);
  private kept: Uint8Array[] = [];
  private keptBytes = 0;
  private headers = new Map<string, string>();

  check(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.headerBytes > 0) {
        const part = this.take('headerBytes', chunk, at);
        this.keep(part);
        at += part.length;
        if (this.headerBytes === 0) this.readHeaders();
      } else if (this.payloadBytes > 0) {
        const part = this.take('payloadBytes', chunk, at);
        this.guard.check(part);
        if (this.isError) this.keep(part);
        at += part.length;
      } else if (this.checksumBytes > 0) {
        at += this.take('checksumBytes', chunk, at).length;
        if (this.checksumBytes === 0 && this.isError) throw this.reportedError();
      } else this.addToPrelude(chunk[at++] ?? 0);
    }
  }

  /** The type `error` has its text in the headers, the type `exception` in the payload. */
  private get isError(): boolean {
    return this.headers.get(':message-type') === 'exception' || this.headers.get(':message-type') === 'error';
  }

  private take(kind: 'headerBytes' | 'payloadBytes' | 'checksumBytes', chunk: Uint8Array, at: number): Uint8Array {
    const part = chunk.subarray(at, at + this[kind]);
    this[kind] -= part.length;
    return part;
  }

  private keep(part: Uint8Array): void {
    if (this.keptBytes >= MAX_KEPT_BYTES) return;
    this.kept.push(Uint8Array.from(part));
    this.keptBytes += part.length;
  }

  private keptText(): Buffer {
    const bytes = Buffer.concat(this.kept).subarray(0, MAX_KEPT_BYTES);
    this.kept = [];
    this.keptBytes = 0;
    return bytes;
  }

  private readHeaders(): void {
    this.headers = new Map(textHeaders(this.keptText()));
  }

  private reportedError(): ReportedError {
    const type = this.headers.get(':exception-type') ?? this.headers.get(':error-code') ?? 'error';
    const message = this.headers.get(':error-message') ?? messageIn(this.keptText().toString('utf8')) ?? type;
    return new ReportedError(message, STATUSES[type]);
  }

  private addToPrelude(byte: number): void {
    this.prelude.push(byte);
    if (this.prelude.length < PRELUDE_BYTES) return;
    const view = Buffer.from(this.prelude);
    const [total, headers] = [view.readUInt32BE(0), view.readUInt32BE(4)];
    this.prelude = [];
    this.headers.clear();
    this.headerBytes = headers;
    this.payloadBytes = Math.max(0, total - headers - PRELUDE_BYTES - CHECKSUM_BYTES);
    this.checksumBytes = CHECKSUM_BYTES;
    this.guard = new AnswerGuard(false);
  }
}

const TEXT = 7;

function textHeaders(bytes: Buffer): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < bytes.length;) {
    const type = at + 1 + (bytes[at] ?? 0);
    if (bytes[type] !== TEXT || type + 3 > bytes.length) break;
    const value = type + 3;
    const end = value + bytes.readUInt16BE(type + 1);
    found.push([bytes.toString('utf8', at + 1, type), bytes.toString('utf8', value, end)]);
    at = end;
  }
  return found;
}

function messageIn(payload: string): string | undefined {
  try {
    const body = JSON.parse(payload) as JsonValue;
    const message = isJsonObject(body) ? (body.message ?? body.Message) : undefined;
    return typeof message === 'string' && message.trim() !== '' ? message : undefined;
  } catch {
    return undefined;
  }
}
