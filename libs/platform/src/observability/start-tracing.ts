import type { Logger } from './logger.js';
import type { TelemetryConfig } from './observability.config.js';
import { NO_TRACING, type Tracing } from './tracing.js';

/**
 * Starts sending traces and metrics if the telemetry settings require it. Otherwise the OpenTelemetry SDK is not
 * loaded.
 */
export async function startTracing(
  telemetry: TelemetryConfig,
  process: 'api' | 'worker',
  logger: Logger,
): Promise<Tracing> {
  if (telemetry.traces === null && telemetry.metrics === null) return NO_TRACING;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return OpenTelemetryTracing.start(telemetry, process, logger);
}
