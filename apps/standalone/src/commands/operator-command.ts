import { DomainError } from '@app/kernel';
import { loadStandaloneSettings, type StandaloneSettings } from '@app/installation/settings';
import { ConfigurationError, type EnvironmentSource } from '@app/platform/config';

import { CommandRefused } from './command-refused.js';
import { findDatabase } from './database-address.js';

/** What a command prints: `result` to standard output, alone, so that a script can take it; `note` to standard error. */
export interface CommandOutput {
  result: string;
  note: string;
}

/** A command of the installation's operator: reads its arguments first, so that a mistake is told before anything is touched. */
export interface OperatorCommand<Request extends object> {
  usage: string;
  /** Answers a sentence for people where the arguments are wrong. */
  read(args: readonly string[]): Request | { mistake: string };
  run(request: Request, databaseUrl: string, installation: Installation): Promise<CommandOutput>;
}

/** What a command may need beside the database. */
export interface Installation {
  settings: StandaloneSettings;
  /** A line for whoever watches. */
  say: (line: string) => void;
}

export interface Terminal {
  out: (text: string) => void;
  error: (text: string) => void;
}

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs a command and answers its exit status: 0, 1 where it could not be done, 2 where it was called wrongly. Never rejects. */
export async function perform<Request extends object>(
  command: OperatorCommand<Request>,
  args: readonly string[],
  terminal: Terminal,
  environment?: EnvironmentSource,
): Promise<number> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    terminal.out(`${command.usage}\n`);
    return args.length === 0 ? WRONG_USAGE : DONE;
  }
  const request = command.read(args);
  if ('mistake' in request) {
    terminal.error(`${request.mistake}\n\n${command.usage}\n`);
    return WRONG_USAGE;
  }
  try {
    const settings = loadStandaloneSettings(environment);
    const say = (line: string) => terminal.error(`${line}\n`);
    const { result, note } = await command.run(request, await findDatabase(settings), { settings, say });
    terminal.error(`${note}\n`);
    terminal.out(`${result}\n`);
    return DONE;
  } catch (error) {
    terminal.error(`${forPeople(error)}\n`);
    return FAILED;
  }
}

function forPeople(error: unknown): string {
  const expected =
    error instanceof CommandRefused || error instanceof ConfigurationError || error instanceof DomainError;
  if (!(error instanceof Error)) return String(error);
  return expected ? `${flagOf(error)}${error.message}` : (error.stack ?? error.message);
}

/** The option of the command line that a refusal is about: `--workspace: `. */
function flagOf(error: Error): string {
  const pointer = error instanceof DomainError ? error.errors[0]?.pointer : undefined;
  return pointer === undefined ? '' : `--${pointer.slice(1).replaceAll('_', '-')}: `;
}
