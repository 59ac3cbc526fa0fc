import { Command, CommanderError, Option } from 'commander';
import { Cli, type GlobalOptions } from './session/cli.js';
import { exitCodeOf, usageError } from './errors/command-error.js';
import { TOP_COMMANDS } from './command-list.js';
import { EXIT, EXIT_CODE_MEANINGS, type ExitCode } from './errors/exit-codes.js';
import { errorLines } from './output/error-lines.js';
import { FORMATS } from './output/output.js';
import type { Terminal } from './input/terminal.js';
import { VERSION } from './session/service-connection.js';

/** Width of help texts in columns, if the output is not a terminal. */
const HELP_WIDTH = 100;

const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['AAS_URL', 'address of the service; overrides the context in use'],
  ['AAS_STOP_URL', 'second address of the service, for the emergency stop; overrides the context in use'],
  ['AAS_API_KEY', 'API key; overrides the context in use'],
  ['NO_COLOR', 'any value switches colours off'],
  ['XDG_CONFIG_HOME', 'folder that contains aas/contexts.json; default ~/.config'],
  ['BROWSER', 'program that opens web pages'],
];

/** Runs one command and returns its exit code. Prints failures to standard error. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const cli = new Cli(terminal);
  // The parser does not declare `--version`, because commands such as `runs start` have their own option of this name.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    await cli.output.print(VERSION);
    return EXIT.done;
  }
  const interrupt = (): never => cli.interrupt();
  process.on('SIGINT', interrupt);
  try {
    const program = await buildProgram(cli, isWantedBy(args));
    await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    for (const line of errorLines(error, cli.address)) cli.output.report(line);
    return exitCodeOf(error);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/**
 * Returns a function that selects the commands whose modules are loaded. It selects the commands that the arguments
 * name, or all commands for a completion script.
 */
function isWantedBy(args: readonly string[]): (name: string) => boolean {
  return args.includes('completion') ? () => true : (name) => args.includes(name);
}

/**
 * Builds the parser with the commands that `isWanted` selects, because loading all modules would take most of the time
 * of a short command.
 */
async function buildProgram(cli: Cli, isWanted: (name: string) => boolean): Promise<Command> {
  const program = new Command('aas')
    .description('The CLI of the Agent Automation Service. `aas --version` prints its version.')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addOption(new Option('-o, --output <format>', 'format of the output').choices(FORMATS).default('table'))
    .option('-q, --quiet', 'print no progress messages', false)
    .option('--no-input', 'never prompt')
    .option('--context <name>', 'the context to use (`aas context list`)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminalWrite(cli, text),
      getOutHelpWidth: () => (cli.terminal.stdout.isTTY ? cli.terminal.stdout.columns : HELP_WIDTH),
      getErrHelpWidth: () => HELP_WIDTH,
      // The parser must not print usage errors. `runProgram` prints them in the same format as other errors.
      writeErr: () => undefined,
    })
    .hook('preAction', () => cli.configure(program.opts<GlobalOptions>()));
  for (const { name, summary, load } of TOP_COMMANDS) {
    const command = program.command(name).summary(summary).description(`${summary}.`);
    if (isWanted(name)) (await load())(command, cli);
  }
  addHelp(program, cli);
  refuseUsage(program);
  return program;
}

function terminalWrite({ terminal }: Cli, text: string): void {
  terminal.stdout.write(text);
}

/** Adds `aas help`. Its argument is a command (`aas help runs start`) or a topic (`aas help exit-codes`). */
function addHelp(program: Command, cli: Cli): void {
  program
    .command('help')
    .summary('Show the help of a command, or of `exit-codes` or `environment`')
    .argument('[words...]', 'a command, for example `runs start`, or a topic')
    .action(
      cli.action(async (words: string[]) => {
        const text = topicText(words) ?? helpOf(program, words);
        await cli.output.print(text);
      }),
    );
}

/** Returns the text of a topic of `aas help`, or undefined if there is no such topic. */
function topicText(words: readonly string[]): string | undefined {
  if (words.length !== 1) return undefined;
  if (words[0] === 'exit-codes') return linesOf(EXIT_CODE_MEANINGS);
  return words[0] === 'environment' ? linesOf(ENVIRONMENT) : undefined;
}

function linesOf(entries: readonly (readonly [name: string | number, meaning: string])[]): string {
  const width = Math.max(...entries.map(([name]) => String(name).length));
  return entries.map(([name, meaning]) => `${String(name).padEnd(width)}  ${meaning}\n`).join('');
}

function helpOf(program: Command, words: readonly string[]): string {
  let command = program;
  for (const word of words) {
    const found = command.commands.find((each) => each.name() === word);
    if (!found) throw usageError(`There is no command \`${words.join(' ')}\`.`, 'aas help', 'Run `aas help`.');
    command = found;
  }
  return command.helpInformation();
}

/** Turns errors of the parser into usage errors that name the command. */
function refuseUsage(command: Command): void {
  const path = pathOf(command);
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    throw usageFailure(error, path);
  });
  for (const each of command.commands) refuseUsage(each);
}

function pathOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}

function usageFailure({ code, message }: CommanderError, path: string): Error {
  if (code === 'commander.help') return usageError('A verb is missing.', path, `Run \`${path} --help\` for the verbs.`);
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const near = suggestion === undefined ? '' : `${suggestion.replace(/^\(|\)$/g, '')} `;
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, '')}.`;
  return usageError(sentence, path, `${near}Run \`${path} --help\` for the usage.`);
}
