import {
  type ConfigOf,
  defineDerivedConfig,
  type EnvironmentReader,
  setting,
  defineConfig,
} from '@app/platform/config';

export const loggingConfig = defineConfig({
  title: 'Logs',
  readBy: ['api', 'worker', 'migrate'],
  settings: {
    logLevel: setting.oneOf('LOG_LEVEL', {
      values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'Lowest level of the messages that are logged. `npm start` uses `warn` unless the variable is set.',
    }),
    logFormat: setting.oneOf('LOG_FORMAT', {
      values: ['json', 'pretty'],
      default: 'json',
      description: 'Format of a log line. `npm start` uses `pretty` unless the variable is set.',
    }),
  },
});
export type LoggingConfig = ConfigOf<typeof loggingConfig>;

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
export type OtlpProtocol = (typeof PROTOCOLS)[number];

const EXPORTERS = ['otlp', 'none'] as const;
const PAIRS = /^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/;

/** Declares the URL of a collector. Error messages do not show the URL, because it may contain a password. */
const endpoint = (name: string, description: string) =>
  setting.url(name, { schemes: ['http', 'https'], secret: true, description });

/** If the setting is not set, its value is `otlp` if an endpoint is set, and otherwise `none`. */
const exporter = (name: string, description: string) =>
  setting.text(name, {
    allowed: EXPORTERS.join(', '),
    defaultNote: '`otlp` if an endpoint is set, otherwise `none`',
    description,
  });

const pairs = (name: string, description: string) =>
  setting.text(name, { allowed: 'name=value,name=value', description });

/**
 * The standard variables of OpenTelemetry that turn the sending of traces and metrics on or off, and variables whose
 * invalid values the SDK would not report.
 */
export const telemetryConfig = defineDerivedConfig(
  {
    title: 'OpenTelemetry',
    readBy: ['api', 'worker'],
    settings: {
      endpoint: endpoint(
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        "A collector's address for OTLP over HTTP, for example http://collector:4318. If neither an endpoint nor an exporter is " +
          'set, nothing is sent, and the SDK is not loaded.',
      ),
      tracesEndpoint: endpoint(
        'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        'Address that receives only traces, with the path.',
      ),
      metricsEndpoint: endpoint(
        'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
        'Address that receives only metrics, with the path.',
      ),
      tracesExporter: exporter('OTEL_TRACES_EXPORTER', 'Exporter of traces.'),
      metricsExporter: exporter('OTEL_METRICS_EXPORTER', 'Exporter of metrics.'),
      protocol: setting.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', {
        values: PROTOCOLS,
        default: 'http/protobuf',
        description: 'Encoding of traces and metrics.',
      }),
      headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', 'Headers for the collector.'),
      serviceName: setting.text('OTEL_SERVICE_NAME', {
        allowed: 'any text',
        defaultNote: '`aas-api`, `aas-worker`',
        description: 'Name of the service in traces and metrics.',
      }),
      resourceAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES', 'Attributes of the service in traces and metrics.'),
      sampler: setting.oneOf('OTEL_TRACES_SAMPLER', {
        values: [
          'always_on',
          'always_off',
          'traceidratio',
          'parentbased_always_on',
          'parentbased_always_off',
          'parentbased_traceidratio',
        ],
        default: 'parentbased_always_on',
        description: 'Sampler that decides which traces are sent.',
      }),
      samplerArgument: setting.matching('OTEL_TRACES_SAMPLER_ARG', {
        default: '1',
        pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
        allowed: 'a share from 0 to 1',
        description: 'Share of the traces that are sent, for the samplers with a ratio.',
      }),
      metricsEveryMillis: setting.integer('OTEL_METRIC_EXPORT_INTERVAL', {
        default: 60_000,
        min: 100,
        max: 3_600_000,
        unit: 'milliseconds',
        description: 'Time between two reports of metrics.',
      }),
      disabled: setting.oneOf('OTEL_SDK_DISABLED', {
        values: ['true', 'false'],
        default: 'false',
        description: 'If `true`, nothing is sent, whatever the other variables are.',
      }),
    },
  },
  (values, reader) => {
    checkPairs(reader, 'OTEL_EXPORTER_OTLP_HEADERS', values.headers);
    checkPairs(reader, 'OTEL_RESOURCE_ATTRIBUTES', values.resourceAttributes);
    const protocolOf = (name: string, own: string | undefined): OtlpProtocol | null => {
      const usual = own !== undefined || values.endpoint !== undefined ? 'otlp' : 'none';
      const isOff = reader.oneOf(name, EXPORTERS, usual) === 'none' || values.disabled === 'true';
      return isOff ? null : values.protocol;
    };
    return {
      traces: protocolOf('OTEL_TRACES_EXPORTER', values.tracesEndpoint),
      metrics: protocolOf('OTEL_METRICS_EXPORTER', values.metricsEndpoint),
      metricsEveryMillis: values.metricsEveryMillis,
      serviceName: values.serviceName,
    };
  },
);
export type TelemetryConfig = ConfigOf<typeof telemetryConfig>;

/** Error messages do not show the value, because headers may contain a key of the collector. */
function checkPairs(reader: EnvironmentReader, name: string, text: string | undefined): void {
  if (text !== undefined && !PAIRS.test(text)) reader.reject(name, undefined, 'name=value,name=value');
}
