import { types } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LoggingConfig } from './observability.config.js';
import { prettified, standardOutput, withoutSecrets } from './log-destination.js';
import { type Later, repeatedFailuresHook } from './repeated-failures.js';
import { currentContext } from './log-context.js';

export type { Logger } from 'pino';

export interface LoggerSettings {
  level: LoggingConfig['logLevel'];
  format: LoggingConfig['logFormat'];
  name: string;
  destination?: DestinationStream;
  later?: Later;
}

/**
 * Writing never blocks the event loop, and the buffer is flushed when the process exits. Repeated warnings about the
 * same failure are combined into one line a minute, with their count in `repeated`.
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

const MAX_CAUSES = 5;

export interface ErrorFields {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: ErrorFields;
}

/** Database errors also contain the parameters of the statement and the values of the row, which are customer data. */
function errorFields(error: unknown, causes = MAX_CAUSES): ErrorFields {
  // `instanceof` does not recognise errors from other realms, such as a sandbox.
  if (!types.isNativeError(error)) return { type: typeof error, message: String(error) };
  const fields: ErrorFields = { type: error.name, message: error.message, stack: error.stack };
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' || typeof code === 'number') fields.code = code;
  if (error.cause !== undefined && causes > 0) fields.cause = errorFields(error.cause, causes - 1);
  return fields;
}
