import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';

/** One event of a stream (HTML standard, section 9.2). Whoever reconnects with `id` gets what came after it. */
export interface StreamEvent {
  event: string;
  id: string;
  /** Sent as JSON. */
  data: object;
}

export interface EventStreamSettings {
  /** How often a quiet stream says that it is alive, so that proxies and readers do not give it up. */
  heartbeatMillis: number;
  /** How long a reader may take to read what it was sent before its connection is cut. */
  patienceMillis: number;
  /** Asked at every heartbeat; the stream ends when the answer is no. */
  mayGoOn: () => Promise<boolean>;
}

/** What readers are told to wait before they reconnect. */
const RECONNECT_AFTER_MILLIS = 2_000;

/**
 * Server-Sent Events as the answer to one request. A slow reader costs what its connection buffers and the one event that
 * is being written: nothing further is accepted until it has read.
 */
export class EventStream {
  private readonly over = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;

  constructor(
    private readonly response: Response,
    private readonly settings: EventStreamSettings,
  ) {
    response.once('close', () => this.stop());
    response.setHeader('Content-Type', 'text/event-stream');
    // Proxies that collect an answer before they pass it on leave this one alone.
    response.setHeader('X-Accel-Buffering', 'no');
    response.write(`retry: ${RECONNECT_AFTER_MILLIS}\n\n`);
    this.heartbeat = setInterval(() => void this.beat(), settings.heartbeatMillis);
    // A reader that was gone before the first byte is never heard of again.
    if (response.destroyed) this.stop();
  }

  /** Aborts when the stream has ended, whoever ended it. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /**
   * Sends what is worth nothing later: it has no id, so nobody who reconnects is told of it, and a reader that is behind
   * does not get it.
   */
  offer({ event, data }: Omit<StreamEvent, 'id'>): void {
    if (this.over.signal.aborted || this.response.writableNeedDrain) return;
    this.response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when there is room for the next event, or when the stream is over; then nothing was sent. */
  async send({ event, id, data }: StreamEvent): Promise<void> {
    if (this.over.signal.aborted) return;
    if (this.response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)) return;
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(this.settings.patienceMillis)]);
    await once(this.response, 'drain', { signal }).catch(() => this.giveUp());
  }

  /** The reader gets what was sent, then the end of the answer, if it reads. */
  end(): void {
    this.stop();
    this.response.end();
    const cut = setTimeout(() => this.cut(), this.settings.patienceMillis).unref();
    this.response.once('close', () => clearTimeout(cut));
  }

  /** A stream that is over is being flushed. */
  private giveUp(): void {
    if (!this.over.signal.aborted) this.cut();
  }

  /** Nobody reads: the connection goes, with what it buffers. */
  private cut(): void {
    this.stop();
    this.response.destroy();
  }

  private async beat(): Promise<void> {
    // What is on its way already shows that the stream lives, and must not grow.
    if (!this.response.writableNeedDrain) this.response.write(': alive\n\n');
    if (!(await this.settings.mayGoOn())) this.end();
  }

  private stop(): void {
    clearInterval(this.heartbeat);
    this.over.abort();
  }
}

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
