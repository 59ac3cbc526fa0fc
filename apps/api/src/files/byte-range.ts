import { DomainError } from '@app/kernel';

/** The part of a file that a response contains. Both positions are inclusive. An empty file has the `last` -1. */
export interface SentRange {
  first: number;
  last: number;
  isPartial: boolean;
}

const SINGLE = /^bytes=(?:(\d{1,16})-(\d{0,16})|-(\d{1,16}))$/;

/**
 * Returns the range that a `Range` header asks for (RFC 9110, section 14). The whole file if there is no such header,
 * if it is not valid, if it names several ranges, or if the client has another version than `etag` (`If-Range`).
 * @throws DomainError `range_not_satisfiable`
 */
export function sentRange(
  headers: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
  bytes: number,
  etag: string,
): SentRange {
  const whole = { first: 0, last: bytes - 1, isPartial: false };
  const match = SINGLE.exec(headers.range ?? '');
  const version = headers['if-range'];
  if (!match || (version !== undefined && version !== etag)) return whole;
  const [, from, to, suffix] = match;
  const first = from === undefined ? Math.max(0, bytes - Number(suffix)) : Number(from);
  const last = from === undefined || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  // A range whose end is before its begin is not valid, and such a header is ignored.
  if (from !== undefined && to !== '' && Number(to) < first) return whole;
  if (first <= last) return { first, last, isPartial: true };
  throw new DomainError('range_not_satisfiable', `The file has ${bytes} bytes. Request a range below this size.`);
}
