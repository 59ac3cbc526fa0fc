import type { IncomingMessage } from 'node:http';
import { DomainError } from '@app/kernel';

/** Where a reader of an event stream goes on: after a number, or not at all, because it has seen the end. */
export type StreamPosition = number | 'end';

/**
 * The `Last-Event-ID` of a reader that reconnects (HTML standard, section 9.2.4), or undefined where there is none.
 * @throws DomainError `invalid_request` for an id that no event of the service has
 */
export function readLastEventId({ headers }: IncomingMessage): StreamPosition | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (id === 'end') return id;
  if (typeof id === 'string' && /^\d{1,9}$/.test(id)) return Number(id);
  throw new DomainError('invalid_request', 'Last-Event-ID is not the id of an event of this stream.');
}
