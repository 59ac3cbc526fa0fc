import type { Dispatcher } from 'undici';
import { EgressError, type EgressReason, egressReasonOf } from './egress-error.js';
import { readStatusOfNextRequest, type ResponseHead, responseHead, type StatusReader } from './response-head.js';
import type { StreamedBody } from './streamed-body.js';

export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | StreamedBody | undefined;
  headersTimeoutMs: number;
  maxResponseBytes: number;
  onBeforeSend: (() => boolean) | undefined;
}

export interface AnswerFeed {
  resume(): void;
  /** If `restIsUnwanted` is true, the connection is closed. */
  finish(restIsUnwanted: boolean): void;
  cancel(reason: EgressReason, message: string, cause?: unknown): void;
}

/** No method of the reader is called after `fail`, or after the reader has called {@link AnswerFeed.finish}. */
export interface AnswerReader {
  begin(head: ResponseHead, feed: AnswerFeed): void;
  /** Returns false to request a pause until the reader calls {@link AnswerFeed.resume}. */
  write(chunk: Buffer): boolean;
  end(): void;
  fail(error: EgressError): void;
}

const RESET_CONTENT = 205;

export function isWithoutBody(status: number): boolean {
  return status === 204 || status === RESET_CONTENT || status === 304;
}

type Controller = Dispatcher.DispatchController;
type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * `sent` relies on the order of events: undici calls `onRequestStart` on an established connection, synchronously
 * before it writes the first byte, and writes nothing if `onRequestStart` throws.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private over = false;
  private sent = false;
  private controller: Controller | undefined;
  private head: ResponseHead | undefined;
  private statusReader: StatusReader | undefined;

  constructor(
    private readonly request: OutgoingRequest,
    private readonly reader: AnswerReader,
  ) {}

  /** If the request has not been written yet, it is never written. */
  cancel(reason: EgressReason, message: string, cause?: unknown): void {
    this.fail(reason, message, cause);
    this.controller?.abort(new EgressError(reason, message, { sent: this.sent, cause }));
  }

  onRequestStart(controller: Controller): void {
    if (this.over) throw new EgressError('aborted', 'The request was cancelled before it was sent.', { sent: false });
    if (this.sent) {
      // undici puts a request back into its queue after some disconnects. A second dispatch could write the request
      // twice.
      this.fail('reset', 'The connection broke before the response was received.');
      throw new EgressError('reset', 'A request must not be dispatched twice.', { sent: true });
    }
    this.askBeforeSend();
    this.sent = true;
    this.controller = controller;
    readStatusOfNextRequest((reader) => (this.statusReader = reader));
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders): void {
    if (status < 200) return;
    this.head = responseHead(status, headers);
    this.reader.begin(this.head, {
      resume: () => controller.resume(),
      finish: (restIsUnwanted) => this.finish(restIsUnwanted),
      cancel: (reason, message, cause) => this.cancel(reason, message, cause),
    });
    if (this.over || !announcesForbiddenBody(this.request.method, this.head)) return;
    this.reader.end();
    this.finish(true);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.over && !this.reader.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (!this.over) this.reader.end();
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    const reason = egressReasonOf(error, this.sent);
    this.fail(reason, error instanceof EgressError ? error.message : describe(reason, this.request.url, error), error);
  }

  private askBeforeSend(): void {
    let answer: boolean | undefined;
    try {
      answer = this.request.onBeforeSend?.();
    } catch (cause) {
      this.fail('aborted', 'The request was cancelled before it was sent.', cause);
      throw cause;
    }
    if (answer !== false) return;
    this.fail('aborted', 'The request was cancelled before it was sent.');
    throw new EgressError('aborted', 'The request was cancelled before it was sent.', { sent: false });
  }

  private finish(restIsUnwanted: boolean): void {
    this.over = true;
    if (restIsUnwanted)
      this.controller?.abort(new EgressError('too_large', 'The rest of the body is not needed.', { sent: true }));
  }

  private fail(reason: EgressReason, message: string, cause?: unknown): void {
    if (this.over) return;
    this.over = true;
    this.reader.fail(new EgressError(reason, message, { sent: this.sent, cause, head: this.arrivedHead() }));
  }

  private arrivedHead(): ResponseHead | undefined {
    if (this.head) return this.head;
    const status = this.statusReader?.status;
    return status === undefined ? undefined : { status, headers: {} };
  }
}

/** The response is complete, but undici would wait for the body or reject its length. */
function announcesForbiddenBody(method: string, { status, headers }: ResponseHead): boolean {
  if (method === 'HEAD' || !isWithoutBody(status)) return false;
  const length = headers['content-length'];
  return length === undefined ? status === RESET_CONTENT : Number(length) !== 0;
}

const DESCRIPTIONS: Partial<Record<EgressReason, string>> = {
  timeout: 'did not respond in time',
  reset: 'closed the connection before the response was complete',
  too_large: 'sent more headers than allowed',
  aborted: 'had not responded when the service began to shut down',
};

function describe(reason: EgressReason, url: URL, error: Error): string {
  return `${url.origin} ${DESCRIPTIONS[reason] ?? `could not be reached over HTTP: ${error.message}`}.`;
}
