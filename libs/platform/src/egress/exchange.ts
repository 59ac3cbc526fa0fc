import type { Dispatcher } from 'undici';
import { EgressError, type EgressReason } from './egress-error.js';
import { reasonOf } from './failure-reason.js';

/** One request to one origin, as it goes out. */
export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | undefined;
  headersTimeoutMs: number;
  maxResponseBytes: number;
  onBeforeSend: (() => boolean) | undefined;
}

/** The beginning of an answer. */
export interface ResponseHead {
  status: number;
  headers: Record<string, string>;
}

/** What a reader of an answer can do to the exchange that feeds it. */
export interface AnswerFeed {
  /** More can be taken, after `write` answered false. */
  resume(): void;
  /** The answer is complete, or complete enough: the connection goes when the rest of the body is still on it. */
  finish(restIsUnwanted: boolean): void;
  cancel(reason: EgressReason, message: string, cause?: unknown): void;
}

/** Takes one answer. After `fail`, and after it has finished by itself, nothing more comes. */
export interface AnswerReader {
  begin(head: ResponseHead, feed: AnswerFeed): void;
  /** Bytes as they came from the wire. False asks for a pause. */
  write(chunk: Buffer): boolean;
  end(): void;
  fail(error: EgressError): void;
}

type Controller = Dispatcher.DispatchController;
type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * One request and its answer on the pool. The order of events is what `sent` rests on: undici calls `onRequestStart`
 * on an established connection, synchronously before it writes the first byte, and writes nothing when that throws.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private over = false;
  private sent = false;
  private controller: Controller | undefined;

  constructor(
    private readonly request: OutgoingRequest,
    private readonly reader: AnswerReader,
  ) {}

  /** Ends the exchange now. A request that has not been written yet never will be. */
  cancel(reason: EgressReason, message: string, cause?: unknown): void {
    this.fail(reason, message, cause);
    this.controller?.abort(new EgressError(reason, message, { sent: this.sent, cause }));
  }

  onRequestStart(controller: Controller): void {
    if (this.over) throw new EgressError('aborted', 'The request was given up before it was sent.', { sent: false });
    if (this.sent) {
      // undici puts a request back into its queue in rare disconnects. A second dispatch could be a second write.
      this.fail('reset', 'The connection broke before the answer.');
      throw new EgressError('reset', 'A request is dispatched once.', { sent: true });
    }
    this.askGate();
    this.sent = true;
    this.controller = controller;
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders): void {
    if (status < 200) return;
    this.reader.begin(
      { status, headers: joinHeaders(headers) },
      {
        resume: () => controller.resume(),
        finish: (restIsUnwanted) => this.finish(restIsUnwanted),
        cancel: (reason, message, cause) => this.cancel(reason, message, cause),
      },
    );
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.over && !this.reader.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (!this.over) this.reader.end();
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    const reason = reasonOf(error, this.sent);
    this.fail(reason, error instanceof EgressError ? error.message : describe(reason, this.request.url, error), error);
  }

  private askGate(): void {
    let answer: boolean | undefined;
    try {
      answer = this.request.onBeforeSend?.();
    } catch (cause) {
      this.fail('aborted', 'The request was refused before it was sent.', cause);
      throw cause;
    }
    if (answer !== false) return;
    this.fail('aborted', 'The request was refused before it was sent.');
    throw new EgressError('aborted', 'The request was refused before it was sent.', { sent: false });
  }

  private finish(restIsUnwanted: boolean): void {
    this.over = true;
    if (restIsUnwanted)
      this.controller?.abort(new EgressError('too_large', 'The rest of the body is not wanted.', { sent: true }));
  }

  private fail(reason: EgressReason, message: string, cause?: unknown): void {
    if (this.over) return;
    this.over = true;
    this.reader.fail(new EgressError(reason, message, { sent: this.sent, cause }));
  }
}

/** One string per name: several fields of one name are joined as RFC 9110, section 5.3 joins them. */
function joinHeaders(headers: IncomingHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    joined[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return joined;
}

const WHAT: Partial<Record<EgressReason, string>> = {
  timeout: 'did not answer in time',
  reset: 'closed the connection before the answer was complete',
  too_large: 'sent more headers than allowed',
  aborted: 'was not waited for: the service is shutting down',
};

function describe(reason: EgressReason, url: URL, error: Error): string {
  return `${url.origin} ${WHAT[reason] ?? `cannot be spoken to: ${error.message}`}.`;
}
