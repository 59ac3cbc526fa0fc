import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';

/**
 * One event of a stream (HTML standard, section 9.2). A reader that reconnects with the `id` of an event receives the
 * events after that event.
 */
export interface StreamEvent {
  event: string;
  id: string;
  /** Sent as JSON. */
  data: object;
}

export interface EventStreamSettings {
  /** Milliseconds between two heartbeats, which keep proxies and readers from closing a quiet stream. */
  heartbeatMillis: number;
  /** Milliseconds within which a reader must read sent events. Then its connection is closed. */
  patienceMillis: number;
  /** Milliseconds between two checks of `mayContinue`. */
  accessCheckMillis: number;
  /** Checks whether the reader may still read. If it returns false, the stream ends. */
  mayContinue: () => Promise<boolean>;
}

/** Milliseconds that readers wait before they reconnect. */
const RECONNECT_AFTER_MILLIS = 2_000;

/**
 * Server-Sent Events as the response to one request. A slow reader occupies memory for the buffer of its connection and
 * for one event: no further event is accepted until the reader has read them.
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
    // Turns off response buffering in proxies.
    response.setHeader('X-Accel-Buffering', 'no');
    response.write(`retry: ${RECONNECT_AFTER_MILLIS}\n\n`);
    this.heartbeat = setInterval(() => this.sendHeartbeat(), settings.heartbeatMillis);
    this.accessCheck = setInterval(() => void this.checkAccess(), settings.accessCheckMillis);
    // If the reader has already disconnected, the response emits no `close` event any more.
    if (response.destroyed) this.stop();
  }

  /** Aborts when the stream has ended. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Sends an event without an id. A reader that reconnects or is slow misses it. */
  offer({ event, data }: Omit<StreamEvent, 'id'>): void {
    if (this.over.signal.aborted || this.response.writableNeedDrain) return;
    this.response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an event and resolves when there is room for the next one. Sends nothing after the end of the stream. */
  async send({ event, id, data }: StreamEvent): Promise<void> {
    if (this.over.signal.aborted) return;
    if (this.response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)) return;
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(this.settings.patienceMillis)]);
    await once(this.response, 'drain', { signal }).catch(() => this.giveUp());
  }

  /** Ends the response after the events that were sent. */
  end(): void {
    this.stop();
    this.response.end();
    const cut = setTimeout(() => this.cut(), this.settings.patienceMillis).unref();
    this.response.once('close', () => clearTimeout(cut));
  }

  /** Closes the connection, unless the stream has ended and only its buffer is still being sent. */
  private giveUp(): void {
    if (!this.over.signal.aborted) this.cut();
  }

  /** Closes the connection of a reader that does not read, and drops its buffer. */
  private cut(): void {
    this.stop();
    this.response.destroy();
  }

  private sendHeartbeat(): void {
    // Buffered events already show that the stream is open, and the buffer must not grow.
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

/** The position after which a reader continues, or `end` if the reader has received the last event. */
export type StreamPosition = number | 'end';

/**
 * The `Last-Event-ID` of a reader that reconnects (HTML standard, section 9.2.4), or undefined if it is absent.
 * @throws DomainError `invalid_request` for an id that no event of the service has
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
