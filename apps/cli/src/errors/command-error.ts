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
