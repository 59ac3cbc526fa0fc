import type { EnvReader } from './env-reader.js';

export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Sending traces and metrics to an OpenTelemetry collector. The SDK reads the further standard variables itself. */
export interface TelemetryEnv {
  readonly telemetry: {
    /** How each of them is sent; null: not at all, and nothing of the SDK is loaded for it. */
    readonly traces: OtlpProtocol | null;
    readonly metrics: OtlpProtocol | null;
    /** How often metrics are sent. */
    readonly metricsEveryMillis: number;
    /** Default: `aas-` and the name of the process. */
    readonly serviceName?: string;
  };
}

const SIGNALS = {
  traces: { own: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', exporter: 'OTEL_TRACES_EXPORTER' },
  metrics: { own: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', exporter: 'OTEL_METRICS_EXPORTER' },
} as const;
const EXPORTERS = ['otlp', 'none'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * The standard variables of OpenTelemetry that decide whether anything is sent, and those that would be misread silently. An
 * endpoint switches on, as does an exporter named `otlp` (which then sends to the standard's http://localhost:4318).
 */
export function readTelemetry(read: EnvReader): TelemetryEnv {
  const protocol = read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', OTLP_PROTOCOLS, 'http/protobuf');
  const disabled = read.oneOf('OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true';
  const everywhere = endpoint(read, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const signal = ({ own, exporter }: (typeof SIGNALS)[keyof typeof SIGNALS]): OtlpProtocol | null => {
    const usual = endpoint(read, own) || everywhere ? 'otlp' : 'none';
    return disabled || read.oneOf(exporter, EXPORTERS, usual) === 'none' ? null : protocol;
  };
  read.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  read.matching('OTEL_TRACES_SAMPLER_ARG', /^(0(\.\d+)?|1(\.0+)?)$/, 'a share from 0 to 1', '1');
  for (const list of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES']) {
    const text = read.text(list);
    // Headers may hold a key of the collector: their value is not shown.
    if (text !== undefined && !/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/.test(text))
      read.wrong(list, undefined, 'name=value,name=value');
  }
  const serviceName = read.text('OTEL_SERVICE_NAME');
  return {
    telemetry: {
      traces: signal(SIGNALS.traces),
      metrics: signal(SIGNALS.metrics),
      metricsEveryMillis: read.integer('OTEL_METRIC_EXPORT_INTERVAL', { fallback: 60_000, min: 100, max: 3_600_000 }),
      ...(serviceName !== undefined && { serviceName }),
    },
  };
}

function endpoint(read: EnvReader, name: string): boolean {
  return read.url(name, ['http', 'https'], { secret: true }) !== undefined;
}
