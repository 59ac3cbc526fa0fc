/** The trace of a run is not part of this folder. */
export { createLogger, type Logger } from './logger.js';
export { ForwardedHistograms } from './forwarded-histograms.js';
export { type Histograms, type Measurement, Metrics } from './metrics.js';
export { NestLogger } from './nest-logger.js';
export { LOGGER, ObservabilityModule } from './observability.module.js';
export { startTracing } from './start-tracing.js';
export { currentContext, extendContext, runInContext } from './log-context.js';
export { scrubCredentials, scrubSecrets } from './scrubber.js';
export { SecretRedaction } from './secret-redaction.js';
export {
  currentTraceparent,
  NO_SPAN,
  NO_TRACING,
  type OpenSpan,
  type Span,
  type SpanAttributes,
  type SpanStart,
  Tracing,
} from './tracing.js';
export { type LoggingConfig, loggingConfig, type TelemetryConfig, telemetryConfig } from './observability.config.js';
