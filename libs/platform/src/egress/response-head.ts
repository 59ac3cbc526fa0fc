import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export interface ResponseHead {
  status: number;
  /** `set-cookie` is not included if it occurs several times. */
  headers: Record<string, string>;
  /** Its values cannot be joined (RFC 9110, 5.3). */
  cookies?: readonly string[];
}

const STATUS_LINE = /^HTTP\/\d\.\d +(\d{3})(?=[ \r\n])/;
/** Number of bytes from which the status can be read. */
const STATUS_BYTES = 16;
/** Limit of the bytes that are kept, so that a server cannot fill the memory. */
const MAX_KEPT_BYTES = 16 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const CONTINUE = 100;
const SWITCHING_PROTOCOLS = 101;
const FIRST_FINAL_STATUS = 200;

/**
 * Reads the status of each response from the bytes of a connection, before the HTTP parser does. Removes `100
 * Continue`, which no request asks for: the parser closes the connection when it arrives.
 */
export class StatusReader {
  status: number | undefined;
  private head: Buffer | undefined;

  begin(): void {
    this.status = undefined;
    this.head = Buffer.alloc(0);
  }

  take(chunk: Buffer): Buffer {
    if (!this.head) return chunk;
    let rest = Buffer.concat([this.head, chunk]);
    const passed: Buffer[] = [];
    while (rest.length > 0) {
      const status = Number(STATUS_LINE.exec(rest.toString('latin1', 0, STATUS_BYTES))?.[1]);
      if (Number.isNaN(status) && rest.length < STATUS_BYTES) break;
      const isFinal = !isInterim(status);
      if (isFinal || rest.length > MAX_KEPT_BYTES) {
        if (isFinal && !Number.isNaN(status)) this.status = status;
        this.head = undefined;
        return Buffer.concat([...passed, rest]);
      }
      const length = headLength(rest);
      if (length === undefined) break;
      if (status !== CONTINUE) passed.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.head = rest;
    return Buffer.concat(passed);
  }

  rest(): Buffer {
    const kept = this.head ?? Buffer.alloc(0);
    this.head = undefined;
    return kept;
  }
}

function isInterim(status: number): boolean {
  return status >= CONTINUE && status < FIRST_FINAL_STATUS && status !== SWITCHING_PROTOCOLS;
}

function headLength(bytes: Buffer): number | undefined {
  for (let from = 0; ;) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end < 0) return undefined;
    if (end === from || (end === from + 1 && bytes[from] === CARRIAGE_RETURN)) return end + 1;
    from = end + 1;
  }
}

const readers = new WeakMap<Socket, StatusReader>();
let expectant: ((reader: StatusReader) => void) | undefined;

/** Call it in `onRequestStart`: undici writes the request synchronously afterwards. */
export function readStatusOfNextRequest(receive: (reader: StatusReader) => void): void {
  expectant = receive;
}

subscribe('undici:client:sendHeaders', (message) => {
  const receive = expectant;
  expectant = undefined;
  if (!receive) return;
  const { socket } = message as { socket: Socket };
  const reader = readers.get(socket) ?? watch(socket);
  reader.begin();
  receive(reader);
});

function watch(socket: Socket): StatusReader {
  const reader = new StatusReader();
  readers.set(socket, reader);
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    const bytes = chunk === null ? reader.rest() : reader.take(chunk);
    const isWanted = bytes.length === 0 || push(bytes);
    return chunk === null ? push(null) : isWanted;
  };
  return reader;
}

/** Servers that send them several times mean the first one, as browsers read it. */
const SINGLE = [
  'content-type',
  'content-length',
  'location',
  'retry-after',
  'etag',
  'last-modified',
  'expires',
  'date',
];

export function responseHead(
  status: number,
  fields: Readonly<Record<string, string | string[] | undefined>>,
): ResponseHead {
  const head: ResponseHead = { status, headers: {} };
  for (const [name, value = ''] of Object.entries(fields)) {
    if (!Array.isArray(value)) head.headers[name] = value;
    else if (name === 'set-cookie') head.cookies = value;
    else head.headers[name] = SINGLE.includes(name) ? (value[0] ?? '') : value.join(', ');
  }
  const { location } = head.headers;
  if (location !== undefined) head.headers.location = asciiReference(location);
  return head;
}

/** Many servers send them as they are, mostly in UTF-8. */
function asciiReference(location: string): string {
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}
