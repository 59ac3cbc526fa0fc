import { ApiError, ConnectionError, TimeoutError } from '../../../../packages/sdk/src/index.js';
import { EXIT, type ExitCode } from './exit-codes.js';

export interface CommandFailure {
  exitCode: ExitCode;
  /** The file, option or command with the error. */
  where?: string;
  remedy?: string;
}

/** Thrown if the command cannot do what the person wants. The message is shown without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  readonly where: string | undefined;
  readonly remedy: string | undefined;

  constructor(message: string, { exitCode, where, remedy }: CommandFailure) {
    super(message);
    this.exitCode = exitCode;
    this.where = where;
    this.remedy = remedy;
  }
}

export function usageError(message: string, where?: string, remedy?: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage, where, remedy });
}

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
