import { ApiError, ConnectionError, TimeoutError } from '../../../../packages/sdk/src/index.js';
import { CommandError } from './command-error.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** Exit codes of API error codes. For any other code, the HTTP status determines the exit code. */
const BY_CODE: Readonly<Record<string, ExitCode>> = {
  definition_invalid: EXIT.unsuccessful,
  gate_failed: EXIT.unsuccessful,
  gate_inconclusive: EXIT.undecided,
  evaluation_required: EXIT.undecided,
  evaluation_in_progress: EXIT.undecided,
  unexpected_response: EXIT.unavailable,
  redirect_refused: EXIT.unavailable,
};

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  408: EXIT.unavailable,
  409: EXIT.conflict,
  412: EXIT.conflict,
  429: EXIT.unavailable,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ApiError) {
    return BY_CODE[error.code] ?? BY_STATUS[error.status] ?? (error.status < 500 ? EXIT.usage : EXIT.unavailable);
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT.unavailable;
  // The SDK throws a TypeError for arguments that it cannot send.
  if (error instanceof TypeError) return EXIT.usage;
  return EXIT.unsuccessful;
}
