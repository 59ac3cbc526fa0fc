import { types } from 'node:util';

const MAX_CAUSES = 5;

/** An error as a log line shows it. */
export interface ErrorFields {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: ErrorFields;
}

/**
 * Copies the fields of an error that are safe to log. Database errors have more fields: parameters of the statement and
 * values of the row, which are data of customers.
 */
export function errorFields(error: unknown, causes = MAX_CAUSES): ErrorFields {
  // Not `instanceof`: errors also come from other realms, such as a sandbox.
  if (!types.isNativeError(error)) return { type: typeof error, message: String(error) };
  const fields: ErrorFields = { type: error.name, message: error.message, stack: error.stack };
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' || typeof code === 'number') fields.code = code;
  if (error.cause !== undefined && causes > 0) fields.cause = errorFields(error.cause, causes - 1);
  return fields;
}
