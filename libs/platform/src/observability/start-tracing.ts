import type { TelemetryEnv } from '@app/platform/config';
import type { Logger } from './logger.js';
import { NO_TRACING, type Tracing } from './tracing.js';

/**
 * Traces and metrics as the standard variables ask for them. Without any of those the OpenTelemetry SDK is not even loaded.
 * `process` is what this process is: api, worker.
 */
export async function startTracing(
  { telemetry }: TelemetryEnv,
  process: 'api' | 'worker',
  logger: Logger,
): Promise<Tracing> {
  if (telemetry.traces === null && telemetry.metrics === null) return NO_TRACING;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return OpenTelemetryTracing.start(telemetry, process, logger);
}
