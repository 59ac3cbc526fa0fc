import type { OnApplicationShutdown } from '@nestjs/common';
import type { Metrics } from './metrics.js';
import { currentContext, runInContext } from './log-context.js';

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/**
 * Names follow the semantic conventions of OpenTelemetry or begin with `aas.`. Values are never user data or secrets.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

export interface SpanStart {
  name: string;
  kind: SpanKind;
  attributes?: SpanAttributes;
  /**
   * `traceparent` of W3C Trace Context. Defaults to the current span. A missing or invalid parent starts a new trace.
   */
  parent?: string | null | undefined;
}

/** Only the owner of the {@link OpenSpan} can end it. */
export interface Span {
  readonly traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** `type` comes from a small set: an error code or a status, never a message. */
  fail(type: string): void;
}

export interface OpenSpan extends Span {
  end(): void;
}

/** No method throws or waits, so a failure of the collector never affects the traced work. */
export abstract class Tracing implements OnApplicationShutdown {
  abstract readonly isOn: boolean;

  abstract begin(start: SpanStart): OpenSpan;

  abstract exportMetrics(metrics: Metrics): void;

  /** Waits at most two seconds. */
  abstract onApplicationShutdown(): Promise<void>;

  /** If the work throws, the span fails with the name of the error. */
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

function inSpan<T>({ traceparent }: Span, work: () => T): T {
  return traceparent === undefined ? work() : runInContext({ traceparent }, work);
}

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
  exportMetrics(): void {}
  onApplicationShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

export const NO_TRACING: Tracing = new NoTracing();
