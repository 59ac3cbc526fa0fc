import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { abortWithin, DomainError } from '@app/kernel';

/**
 * A server-sent event (HTML standard, section 9.2). A reader that reconnects with the `id` of an event gets the events
 * after it.
 */
export interface StreamEvent {
  event: string;
  id: string;
  data: object;
}

export interface EventStreamSettings {
  /** Milliseconds between heartbeats. Heartbeats keep proxies and readers from closing an idle stream. */
  heartbeatMillis: number;
  /** Maximum time in milliseconds for which a reader may leave events unread. Its connection is then closed. */
  patienceMillis: number;
  /** Milliseconds between checks of `mayContinue`. */
  accessCheckMillis: number;
  /** Whether the reader still has access. If false, the stream ends. */
  mayContinue: () => Promise<boolean>;
}

/** Milliseconds that readers wait before they reconnect. */
const RECONNECT_AFTER_MILLIS = 2_000;

/**
 * Sends Server-Sent Events as the response to a request. While a reader does not read, `send` waits, so a slow reader
 * occupies only the buffer of its connection and one event.
 */
export class EventStream {
  private readonly over = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly accessCheck: NodeJS.Timeout;

  constructor(
    private readonly response: Response,
    private readonly settings: EventStreamSettings,
  ) {
    response.once('close', () => this.stop());
    response.setHeader('Content-Type', 'text/event-stream');
    // Disables response buffering in proxies.
    response.setHeader('X-Accel-Buffering', 'no');
    response.write(`retry: ${RECONNECT_AFTER_MILLIS}\n\n`);
    this.heartbeat = setInterval(() => this.sendHeartbeat(), settings.heartbeatMillis);
    this.accessCheck = setInterval(() => void this.checkAccess(), settings.accessCheckMillis);
    // For a reader that has already disconnected, Node emits no further `close`.
    if (response.destroyed) this.stop();
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Sends an event without an id. A reader that is too slow or that reconnects misses the event. */
  offer({ event, data }: Omit<StreamEvent, 'id'>): void {
    if (this.over.signal.aborted || this.response.writableNeedDrain) return;
    this.response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the next event can be sent. Does nothing after the end of the stream. */
  async send({ event, id, data }: StreamEvent): Promise<void> {
    if (this.over.signal.aborted) return;
    if (this.response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)) return;
    const signal = abortWithin(this.settings.patienceMillis, this.over.signal);
    await once(this.response, 'drain', { signal }).catch(() => this.giveUp());
  }

  /** Ends the response after all events are sent. */
  end(): void {
    this.stop();
    this.response.end();
    const cut = setTimeout(() => this.cut(), this.settings.patienceMillis).unref();
    this.response.once('close', () => clearTimeout(cut));
  }

  /** Closes the connection unless `end` was called. After `end`, the remaining events are still being sent. */
  private giveUp(): void {
    if (!this.over.signal.aborted) this.cut();
  }

  /** Closes the connection and drops its buffer, because the reader does not read. */
  private cut(): void {
    this.stop();
    this.response.destroy();
  }

  private sendHeartbeat(): void {
    // While the buffer is full, no heartbeat is needed, because the unsent events in the buffer keep the stream open.
    if (!this.response.writableNeedDrain) this.response.write(': alive\n\n');
  }

  private async checkAccess(): Promise<void> {
    if (!(await this.settings.mayContinue())) this.end();
  }

  private stop(): void {
    clearInterval(this.heartbeat);
    clearInterval(this.accessCheck);
    this.over.abort();
  }
}

/** The position after which a reader continues. `end`: the reader has received the last event. */
export type StreamPosition = number | 'end';

/**
 * Reads `Last-Event-ID`, the header of a reader that reconnects (HTML standard, section 9.2.4). Returns undefined if
 * the header is absent or empty.
 * @throws DomainError `invalid_request` if the header is not the id of an event
 */
export function readLastEventId({ headers }: IncomingMessage): StreamPosition | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (id === 'end') return id;
  if (typeof id === 'string' && /^\d{1,9}$/.test(id)) return Number(id);
  throw new DomainError(
    'invalid_request',
    'Last-Event-ID is not the id of an event of this stream. Send the id of the last event that you received, or omit the header.',
  );
}
