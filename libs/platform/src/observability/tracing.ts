import type { OnApplicationShutdown } from '@nestjs/common';
import type { Metrics } from './metrics.js';
import { currentContext, runInContext } from './log-context.js';

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/** Names follow OpenTelemetry's semantic conventions, else `aas.…`. Never prompts, inputs, outputs, messages or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

export interface SpanStart {
  name: string;
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** `traceparent` of W3C Trace Context. Default: that of the work around it; neither, or a wrong one: a new trace. */
  parent?: string | null | undefined;
}

/** A piece of work of a trace, while it is under way. */
export interface Span {
  /** Of this span, for whoever goes on with the trace elsewhere; undefined while traces are off. */
  readonly traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** It went wrong: `type` is one of few (the code of an error, a status), and no message. */
  fail(type: string): void;
}

export interface OpenSpan extends Span {
  /** Once, when the work is over. */
  end(): void;
}

/**
 * Tells an OpenTelemetry collector what happens, when the operator has named one. Whatever becomes of what is told, the work
 * that it is about goes on as it would without: nothing here throws or waits.
 */
export abstract class Tracing implements OnApplicationShutdown {
  /** Whether anybody is told: spares the work of finding out what to tell. */
  abstract readonly isOn: boolean;

  abstract begin(start: SpanStart): OpenSpan;

  /** Sends what the process counts, if metrics are on. */
  abstract exportMetrics(metrics: Metrics): void;

  /** Sends what still waits, for a second or two at most. */
  abstract onApplicationShutdown(): Promise<void>;

  /** Does the work as a span, with what it starts below it. What the work throws fails the span with the error's name. */
  async during<T>(start: () => SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    if (!this.isOn) return work(NO_SPAN);
    const span = this.begin(start());
    try {
      return await inSpan(span, () => work(span));
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'error');
      throw error;
    } finally {
      span.end();
    }
  }
}

/** What `work` starts goes on with the trace of the span. */
function inSpan<T>({ traceparent }: Span, work: () => T): T {
  return traceparent === undefined ? work() : runInContext({ traceparent }, work);
}

/** `traceparent` (W3C Trace Context) of the work under way; undefined while traces are off. */
export function currentTraceparent(): string | undefined {
  return currentContext().traceparent;
}

export const NO_SPAN: OpenSpan = {
  traceparent: undefined,
  rename: () => undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

class NoTracing extends Tracing {
  readonly isOn = false;
  begin(): OpenSpan {
    return NO_SPAN;
  }
  exportMetrics(): void {
    // Nobody has asked for them.
  }
  onApplicationShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Tells nobody anything. */
export const NO_TRACING: Tracing = new NoTracing();
