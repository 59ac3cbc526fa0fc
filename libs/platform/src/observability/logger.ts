import type { LoggingConfig } from './logging.config.js';
import { type DestinationStream, type Logger, pino } from 'pino';
import { errorFields } from './error-fields.js';
import { prettified, standardOutput, withoutSecrets } from './log-destination.js';
import { type Later, repeatedFailuresHook } from './repeated-failures.js';
import { currentContext } from './log-context.js';

export type { Logger } from 'pino';

export interface LoggerSettings {
  level: LoggingConfig['logLevel'];
  format: LoggingConfig['logFormat'];
  /** Name of the process: `api`, `worker`, `standalone`. */
  name: string;
  /** Default: standard output, written in the background. */
  destination?: DestinationStream;
  /** Default: a timer of the process. */
  later?: Later;
}

/**
 * Creates the logger of the process. It writes one JSON object per line, or a formatted line, with the context of the
 * request and without secrets. Writing never blocks the event loop, and the buffer is flushed when the process exits.
 * A warning about a repeated failure is logged once per cause and minute, with its count in `repeated`.
 */
export function createLogger(settings: LoggerSettings): Logger {
  const { level, format, name, destination = standardOutput(), later } = settings;
  return pino(
    {
      level,
      name,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields, error: errorFields },
      mixin: currentContext,
      hooks: { logMethod: repeatedFailuresHook(later) },
    },
    withoutSecrets(format === 'pretty' ? prettified(destination) : destination),
  );
}
