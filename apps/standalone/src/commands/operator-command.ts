import { DomainError } from '@app/kernel';
import { loadStandaloneSettings, type StandaloneSettings } from '@app/installation/settings';
import { ConfigurationError, type EnvironmentSource } from '@app/platform/config';

import { OperatorError } from '../operator-error.js';
import { findDatabase } from './database-address.js';

/**
 * The output of a command. `result` is written to standard output, so that scripts can read it, and `note` to standard
 * error.
 */
export interface CommandOutput {
  result: string;
  note: string;
  /** Whether the exit status is 1 although the command has done its work, because it has found a problem. */
  fails?: boolean;
}

/** `read` parses the arguments before `run` is called, so that wrong arguments change nothing. */
export interface OperatorCommand<Request extends object> {
  usage: string;
  read(args: readonly string[]): Request | { mistake: string };
  run(request: Request, databaseUrl: string, installation: Installation): Promise<CommandOutput>;
}

export interface InstallationCommand<Request extends object> extends Pick<OperatorCommand<Request>, 'usage' | 'read'> {
  /** If false, a call without arguments shows the usage. */
  takesNoArguments?: boolean;
  run(request: Request, installation: Installation): Promise<CommandOutput>;
}

export interface Installation {
  settings: StandaloneSettings;
  say: (line: string) => void;
}

export interface Terminal {
  out: (text: string) => void;
  error: (text: string) => void;
}

const EXPECTED = [OperatorError, ConfigurationError, DomainError];

const DONE = 0;
const FAILED = 1;
export const WRONG_USAGE = 2;

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns its exit status: 0 for success, 1 for failure, 2 for wrong usage. Never rejects. */
export function perform<Request extends object>(
  command: OperatorCommand<Request>,
  args: readonly string[],
  terminal: Terminal,
  environment?: EnvironmentSource,
): Promise<number> {
  const onInstallation: InstallationCommand<Request> = {
    ...command,
    run: async (request, installation) => command.run(request, await findDatabase(installation.settings), installation),
  };
  return performOnInstallation(onInstallation, args, terminal, environment);
}

export async function performOnInstallation<Request extends object>(
  command: InstallationCommand<Request>,
  args: readonly string[],
  terminal: Terminal,
  environment?: EnvironmentSource,
): Promise<number> {
  const isIncomplete = args.length === 0 && command.takesNoArguments !== true;
  if (isIncomplete || args.includes('--help') || args.includes('-h')) {
    terminal.out(`${command.usage}\n`);
    return isIncomplete ? WRONG_USAGE : DONE;
  }
  const request = command.read(args);
  if ('mistake' in request) {
    terminal.error(`${request.mistake}\n\n${command.usage}\n`);
    return WRONG_USAGE;
  }
  try {
    const settings = loadStandaloneSettings(environment);
    const say = (line: string) => terminal.error(`${line}\n`);
    const { result, note, fails = false } = await command.run(request, { settings, say });
    terminal.error(`${note}\n`);
    if (result !== '') terminal.out(`${result}\n`);
    return fails ? FAILED : DONE;
  } catch (error) {
    terminal.error(`${forPeople(error)}\n`);
    return FAILED;
  }
}

function forPeople(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return EXPECTED.some((kind) => error instanceof kind)
    ? `${flagOf(error)}${error.message}`
    : (error.stack ?? error.message);
}

function flagOf(error: Error): string {
  const pointer = error instanceof DomainError ? error.errors[0]?.pointer : undefined;
  return pointer === undefined ? '' : `--${pointer.slice(1).replaceAll('_', '-')}: `;
}

export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS)
    process.once(name, () => stopping.abort(new OperatorError(`Stopped by ${name}. Nothing was changed.`)));
  return stopping.signal;
}
