import {
  type Attributes,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { systemClock } from '@app/kernel';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { PrometheusProducer } from './prometheus-producer.js';
import {
  currentTraceparent,
  NO_SPAN,
  type OpenSpan,
  type SpanAttributes,
  type SpanKind,
  type SpanStart,
  Tracing,
} from './tracing.js';
import type { OtlpProtocol, TelemetryConfig } from './observability.config.js';

const SCOPE = 'agent-automation-service';
const LAST_FLUSH_MILLIS = 2_000;
const MAX_EXPORT_MILLIS = 10_000;
const COMPLAINT_EVERY_MILLIS = 60_000;

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
};

/**
 * If the collector is unreachable and the buffer is full, spans are dropped. The current span is stored in the log
 * context, so the SDK does not patch any library to find it.
 */
export class OpenTelemetryTracing extends Tracing {
  private meters: MeterProvider | undefined;

  private constructor(
    private readonly resource: Resource,
    private readonly provider: BasicTracerProvider | undefined,
    private readonly tracer: Tracer | undefined,
    private readonly metrics: { exporter: PushMetricExporter; everyMillis: number } | undefined,
  ) {
    super();
  }

  static async start(
    { traces, metrics, metricsEveryMillis, serviceName }: TelemetryConfig,
    process: string,
    logger: Logger,
  ): Promise<OpenTelemetryTracing> {
    setGlobalErrorHandler(rateLimitedWarnings(logger));
    const named = resourceFromAttributes({ 'service.name': serviceName ?? `aas-${process}`, 'aas.process': process });
    const resource = named.merge(detectResources({ detectors: [envDetector] }));
    const provider =
      traces === null
        ? undefined
        : new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(await traceExporter(traces))] });
    const sender =
      metrics === null ? undefined : { exporter: await metricExporter(metrics), everyMillis: metricsEveryMillis };
    return new OpenTelemetryTracing(resource, provider, provider?.getTracer(SCOPE), sender);
  }

  get isOn(): boolean {
    return this.tracer !== undefined;
  }

  begin({ name, kind, attributes = {}, parent }: SpanStart): OpenSpan {
    const above = parent ?? currentTraceparent();
    const remote = above === undefined ? null : parseTraceParent(above);
    const around = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
    const span = this.tracer?.startSpan(name, { kind: KINDS[kind], attributes: defined(attributes) }, around);
    return span ? new SentSpan(span) : NO_SPAN;
  }

  exportMetrics(metrics: Metrics): void {
    if (!this.metrics || this.meters) return;
    const { exporter, everyMillis } = this.metrics;
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: everyMillis,
      exportTimeoutMillis: Math.min(everyMillis, MAX_EXPORT_MILLIS),
      metricProducers: [new PrometheusProducer(metrics, this.resource)],
    });
    this.meters = new MeterProvider({ resource: this.resource, readers: [reader] });
  }

  async onApplicationShutdown(): Promise<void> {
    const sent = Promise.allSettled([this.provider?.shutdown(), this.meters?.shutdown()]);
    const enough = new AbortController();
    await Promise.race([sent, systemClock.sleep(LAST_FLUSH_MILLIS, enough.signal)]);
    enough.abort();
  }
}

class SentSpan implements OpenSpan {
  readonly traceparent: string;

  constructor(private readonly span: SdkSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(defined(attributes));
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

function defined(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

async function traceExporter(protocol: OtlpProtocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

async function metricExporter(protocol: OtlpProtocol): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter();
}

/** Returns a handler that logs at most one warning a minute, even if every batch fails. */
function rateLimitedWarnings(logger: Logger): (error: unknown) => void {
  let last = -Infinity;
  return (error) => {
    const now = systemClock.monotonicMillis();
    if (now - last < COMPLAINT_EVERY_MILLIS) return;
    last = now;
    logger.warn({ err: error }, 'telemetry: sending traces or metrics failed, they are dropped');
  };
}
