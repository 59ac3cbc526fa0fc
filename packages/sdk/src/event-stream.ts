import { ApiError, ConnectionError, TimeoutError } from './errors.js';
import { EventParser, type ServerEvent } from './event-parser.js';
import { jitter } from './retries.js';
import { reasonOf, type Timing } from './timing.js';
import type { OpenStream } from './transport.js';

/**
 * A connection on which nothing arrives for this long is treated as broken. The service sends a comment every 15
 * seconds.
 */
const SILENCE_MILLIS = 45_000;
/** The client tries to reopen an interrupted stream for this time. After that, it throws the last error. */
const PATIENCE_MILLIS = 300_000;
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 15_000;

export interface FollowOptions {
  connect: (lastEventId: string | undefined) => Promise<OpenStream>;
  isLast: (event: ServerEvent) => boolean;
  timing: Timing;
  signal: AbortSignal;
}

/**
 * Yields the events of a stream up to its last event. If the stream is interrupted, reopens it after the last received
 * event. Throws the last error if reopening fails for five minutes, or if the API rejects the request.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<ServerEvent, void, void> {
  const { connect, isLast, timing, signal } = options;
  const interruptions = new Interruptions(timing);
  let parser = new EventParser();
  for (;;) {
    try {
      const stream = await connect(parser.lastId);
      interruptions.isExpected = true;
      parser = new EventParser(parser.lastId);
      for await (const event of eventsOf(stream, parser, timing)) {
        interruptions.forget();
        yield event;
        if (isLast(event)) return;
      }
      if (!stream.body) return;
      throw new ConnectionError('The stream ended before its last event.');
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal);
      await timing.sleep(interruptions.pauseAfter(error, parser.retryMillis), signal);
    }
  }
}

class Interruptions {
  /** Before that, a failure is final, because the transport has already retried the request. */
  isExpected = false;
  #count = 0;
  #since = 0;
  readonly #timing: Timing;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  forget(): void {
    this.#count = 0;
  }

  pauseAfter(error: unknown, askedMillis = FIRST_PAUSE_MILLIS): number {
    if (!this.isExpected || !isInterruption(error)) throw error;
    const now = this.#timing.now();
    if (this.#count === 0) this.#since = now;
    this.#count += 1;
    if (now - this.#since > PATIENCE_MILLIS) throw error;
    const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
    if (retryAfter !== undefined) return retryAfter * 1_000;
    return jitter(this.#count, this.#timing, { first: askedMillis, longest: MAX_PAUSE_MILLIS });
  }
}

function isInterruption(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429 || error.status === 408;
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

async function* eventsOf(
  { body, close }: OpenStream,
  parser: EventParser,
  timing: Timing,
): AsyncGenerator<ServerEvent, void, void> {
  try {
    const reader = body?.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const piece = reader && (await readPiece(reader, close, timing));
      if (!piece) return;
      yield* parser.push(decoder.decode(piece, { stream: true }));
    }
  } finally {
    close();
  }
}

/** If no bytes arrive for `SILENCE_MILLIS`, closes the connection. */
async function readPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  close: () => void,
  timing: Timing,
): Promise<Uint8Array | undefined> {
  const watch = new AbortController();
  timing.sleep(SILENCE_MILLIS, watch.signal).then(close, () => undefined);
  try {
    return (await reader.read()).value;
  } catch (cause) {
    throw new ConnectionError('The stream was interrupted.', { cause });
  } finally {
    watch.abort();
  }
}
