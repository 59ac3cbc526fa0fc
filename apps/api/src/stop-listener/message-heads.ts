import type { MessageBody } from './message-framing.js';

/** Beginnings of the requests that the stop listener handles itself. */
const URGENT = [
  'POST /v1/workspace/emergency-stop',
  'GET /healthz',
  'HEAD /healthz',
  'GET /metrics',
  'HEAD /metrics',
] as const;
const LONGEST_URGENT = Math.max(...URGENT.map((start) => start.length)) + 1;
/** Characters that may follow the path of an urgent request. */
const AFTER_PATH = new Set([' ', '?', '/']);

/** Classifies a request by its first bytes. `undecided` means that more bytes are needed. */
export function classifyRequest(bytes: Buffer): 'urgent' | 'ordinary' | 'undecided' {
  const text = bytes.toString('latin1', 0, Math.min(bytes.length, LONGEST_URGENT));
  for (const start of URGENT) {
    if (text.length <= start.length) {
      if (start.startsWith(text)) return 'undecided';
    } else if (text.startsWith(start) && AFTER_PATH.has(text.charAt(start.length))) return 'urgent';
  }
  return 'ordinary';
}

const STRICT_REQUEST = /^[!-~]+ [!-~]+ HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*\r\n)*$/;
const FRAMING_HEADER = /\r\n(content-length|transfer-encoding|expect|upgrade):([^\r]*)/gi;
const LENGTH = /^\d{1,15}$/;

/**
 * Returns the kind of body after the head of a request. The result is `unknown` unless the head is plain HTTP/1.1 and
 * declares at most one length or one chunked coding. It is also `unknown` for `CONNECT`, `Expect` and `Upgrade`,
 * because the response decides what follows.
 */
export function requestBody(head: string): MessageBody {
  if (!STRICT_REQUEST.test(head) || head.startsWith('CONNECT ')) return 'unknown';
  let body: MessageBody | undefined;
  for (const [, name = '', value = ''] of head.matchAll(FRAMING_HEADER)) {
    const given = value.trim();
    if (body !== undefined) return 'unknown';
    if (/^content-length$/i.test(name) && LENGTH.test(given)) body = Number(given);
    else if (/^transfer-encoding$/i.test(name) && /^chunked$/i.test(given)) body = 'chunked';
    else return 'unknown';
  }
  return body ?? 0;
}

/** Returns the kind of body after the head of a response of this service. `toHead`: the request was a HEAD request. */
export function answerBody(head: string, toHead: boolean): MessageBody {
  const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  if (status === '101') return 'unknown';
  if (status.startsWith('1')) return 'interim';
  if (toHead || status === '204' || status === '304') return 0;
  const length = /\r\ncontent-length: *(\d{1,15})\r\n/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  return /\r\ntransfer-encoding: *chunked\r\n/i.test(head) ? 'chunked' : 'unknown';
}
