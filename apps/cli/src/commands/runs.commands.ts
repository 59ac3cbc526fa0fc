import { type Command, Option } from 'commander';
import type { AgentAutomation, Run } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { assignments, collected, positiveInteger } from '../input/command-arguments.js';
import type { ExitCode } from '../errors/exit-codes.js';
import { type FileArgument, separateFiles, startForm } from '../files/file-arguments.js';
import { readInputObject } from '../input/input-document.js';
import type { View } from '../output/output.js';
import { transcriptLines, type Turn } from '../output/transcript-lines.js';
import { withUploadBar } from '../waiting/progress-bar.js';
import { downloadFiles } from './download-files.js';
import { addListOptions, type Filter, listCommand, type ListOf, type ListOptions, printList } from './list-command.js';
import {
  addWaitOptions,
  checkWaitOptions,
  followRun,
  printStarted,
  stepLine,
  type WaitOptions,
} from '../waiting/run-wait.js';
import { tailRuns } from './tail-runs.js';

type ListQuery = Parameters<AgentAutomation['runs']['list']>[0];
type SearchQuery = NonNullable<ListQuery> & { search?: string };
type FilesQuery = NonNullable<Parameters<AgentAutomation['runs']['files']>[1]>;
type FilePlace = Awaited<ReturnType<AgentAutomation['runs']['files']>>['data'][number];

const RUNS: View<Run> = {
  columns: [
    ['ID', (run) => run.id],
    ['AGENT', (run) => `${run.agent_name}@${run.version}`],
    ['STATUS', statusOf],
    ['MODE', (run) => run.mode],
    ['TRIGGER', (run) => run.trigger.type],
    ['CREATED', (run) => run.created_at],
    ['ERROR', (run) => run.error?.code],
  ],
  nameOf: (run) => run.id,
};

const FILTERS: readonly Filter[] = [
  { parameter: 'agent', summary: 'only runs of this agent (name or id)' },
  { parameter: 'status', summary: 'only runs with this status', isRepeatable: true },
  { parameter: 'trigger_type', summary: 'only runs with this type of trigger' },
  { parameter: 'mode', summary: 'production or test' },
  { parameter: 'since', summary: 'only runs created since this time or duration, for example 7d' },
  { parameter: 'until', summary: 'only runs created before this time or duration' },
  { parameter: 'version', summary: 'only runs of this version' },
  { parameter: 'initiator', summary: 'only runs that this member started' },
  { parameter: 'error_code', summary: 'only runs that failed with this error code' },
  { parameter: 'label', summary: 'only runs with this label (key=value)', isRepeatable: true },
  { parameter: 'replay_of', summary: 'only replays of this run' },
  { parameter: 'parent', summary: 'only child runs of this run' },
  { parameter: 'search', summary: 'only runs whose error, input or output contains this text' },
  { parameter: 'min_duration_ms', summary: 'only ended runs that were active for at least this time' },
  { parameter: 'max_duration_ms', summary: 'only ended runs that were active for at most this time' },
  { parameter: 'min_cost', summary: 'only runs that cost at least this amount, for example 0.25' },
  { parameter: 'max_cost', summary: 'only runs that cost at most this amount' },
  { parameter: 'id', summary: 'only the run with this id', isRepeatable: true },
];

const FILES: ListOf<FilePlace, FilesQuery> = {
  columns: [
    ['PATH', ({ path }) => path],
    ['NAME', ({ file }) => file.filename],
    ['TYPE', ({ file }) => file.content_type],
    ['BYTES', ({ file }) => file.bytes],
    ['STATUS', ({ file }) => file.status],
    ['ID', ({ file }) => file.id],
  ],
  nameOf: ({ file }) => file.id,
  rows: (aas, query, run) => aas.runs.files(run, query),
};

function statusOf({ status, waiting }: Run): string {
  if (waiting === null) return status;
  const [child, ...others] = waiting.runs ?? [];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${status} (waits for ${waiting.for}${child === undefined ? '' : ` ${child.id}${more}`})`;
}

export function configureRuns(runs: Command, cli: Cli): void {
  addStart(runs, cli);
  listCommand(runs.command('list').description('List runs, the newest first.'), cli, {
    ...RUNS,
    filters: FILTERS,
    rows: (aas, { search: q, ...query }: SearchQuery) => aas.runs.list({ ...query, ...(q !== undefined && { q }) }),
  });
  runs
    .command('get')
    .description('Show a run.')
    .argument('<id>', 'id of the run')
    .option('--reveal', 'show redacted values')
    .action(
      cli.action(async (id: string, { reveal }: { reveal?: boolean }) => {
        const aas = await cli.client();
        await cli.output.object(await aas.runs.get(id, reveal ? { reveal } : {}), id);
      }),
    );
  addTrace(runs, cli);
  addTranscript(runs, cli);
  addFiles(runs, cli);
  runs
    .command('cancel')
    .description('Cancel a run that has not ended.')
    .argument('<id>', 'id of the run')
    .option('--reason <text>', 'why')
    .action(
      cli.action(async (id: string, { reason }: { reason?: string }) => {
        const aas = await cli.client();
        await cli.output.object(await aas.runs.cancel(id, reason === undefined ? {} : { reason }), id);
      }),
    );
  addReplay(runs, cli);
  runs
    .command('tail')
    .description('Follow a run, or print all runs as they change. The JSON output has one object per line.')
    .argument('[id]', 'id of a run; default: all runs of the workspace')
    .option('--agent <agent>', 'only runs of this agent')
    .option('--status <status>', 'only runs with this status', collected)
    .action(
      cli.action(async (id: string | undefined, options: { agent?: string; status?: string[] }) => {
        const aas = await cli.client();
        if (id === undefined) return tailRuns(aas, cli, options);
        return followRun(aas, cli, id);
      }),
    );
}

/** `aas logs <run>` is the same as `aas runs tail <run>`. */
export function configureLogs(logs: Command, cli: Cli): void {
  logs
    .argument('<id>', 'id of the run')
    .action(cli.action(async (id: string) => followRun(await cli.client(), cli, id)));
}

interface StartOptions extends WaitOptions {
  input?: string[];
  inputFile?: string;
  test?: boolean;
  version?: number;
}

function addStart(runs: Command, cli: Cli): void {
  const start = runs
    .command('start')
    .description('Start a run and print it.')
    .argument('<agent>', 'name or id of the agent')
    .option(
      '--input <name=text>',
      'a field of the input as a string; `name:=json` for other values; `name=@path` and `name[]=@path` send files, where the input schema has the keyword `file`',
      collected,
    )
    .option('--input-file <file>', 'the input as JSON or YAML; - is standard input')
    .option('--test', 'start in mode test: writes are simulated')
    .option('--version <n>', 'start this version instead of the production version', positiveInteger)
    .action(cli.action((agent: string, options: StartOptions) => startRun(cli, agent, options)));
  addWaitOptions(start);
}

async function startRun(cli: Cli, agent: string, options: StartOptions): Promise<ExitCode> {
  checkWaitOptions(options, 'aas runs start');
  const { version, test } = options;
  const { others, files } = await separateFiles(options.input ?? [], () => inputSchema(cli, agent, version));
  const input = await inputOf(cli, options, others, files);
  const aas = await cli.client();
  const body = {
    ...(input !== undefined && { input }),
    ...(test === true && { mode: 'test' as const }),
    ...(version !== undefined && { version }),
  };
  if (files.length === 0) return printStarted(aas, cli, await aas.runs.start(agent, body), options);
  const form = await startForm(body, files);
  const started = await withUploadBar(cli, (onProgress) => aas.runs.start(agent, form, { onProgress }));
  return printStarted(aas, cli, started, options);
}

/** Returns the input schema of the version that the run will have. */
async function inputSchema(cli: Cli, agent: string, given: number | undefined): Promise<unknown> {
  const aas = await cli.client();
  const { id, production_version: production } = await aas.agents.get(agent);
  return (await aas.versions.get(id, given ?? production)).definition.input;
}

/** A file in `files` wins over the same member of `--input-file`, as every `--input` does. */
async function inputOf(
  cli: Cli,
  { inputFile }: StartOptions,
  texts: readonly string[],
  files: readonly FileArgument[],
): Promise<Record<string, unknown> | undefined> {
  if (texts.length === 0 && inputFile === undefined) return undefined;
  const file = inputFile === undefined ? {} : await readInputObject(inputFile, cli.terminal, '--input-file');
  const sent = new Set(files.map(({ member }) => member));
  const kept = Object.entries(file).filter(([name]) => !sent.has(name));
  return { ...Object.fromEntries(kept), ...assignments(texts, '--input') };
}

function addFiles(runs: Command, cli: Cli): void {
  const files = runs
    .command('files')
    .description('List the places at which a run refers to files, or download these files.')
    .argument('<id>', 'id of the run')
    .addOption(
      new Option('--to <folder>', 'write each file to this folder; replaces no file').conflicts(['limit', 'order']),
    );
  const reveal = { parameter: 'reveal', summary: 'show redacted files; the audit log records it', isFlag: true };
  addListOptions(files, [reveal]).action(
    cli.action((id: string, { to, ...options }: ListOptions & { to?: string; reveal?: boolean }) =>
      to === undefined ? printList(cli, FILES, options, id) : downloadFiles(cli, id, { folder: to, ...options }),
    ),
  );
}

function addTrace(runs: Command, cli: Cli): void {
  runs
    .command('trace')
    .description('Show the recorded steps of a run.')
    .argument('<id>', 'id of the run')
    .option('--reveal', 'show redacted values')
    .action(
      cli.action(async (id: string, { reveal }: { reveal?: boolean }) => {
        const aas = await cli.client();
        const trace = await aas.runs.trace(id, reveal ? { reveal } : {});
        if (cli.output.options.format !== 'table') return cli.output.object(trace, id);
        for (const step of trace.steps) await cli.output.streamed(step, stepLine(step));
      }),
    );
}

function addTranscript(runs: Command, cli: Cli): void {
  runs
    .command('transcript')
    .description('Show what a run sent to models, and their answers.')
    .argument('<id>', 'id of the run')
    .option('--reveal', 'show redacted values')
    .action(
      cli.action(async (id: string, { reveal }: { reveal?: boolean }) => {
        const aas = await cli.client();
        for (let after: number | undefined = 0; after !== undefined;) {
          const query = { after_n: after, limit: 100, ...(reveal && { reveal }) };
          const { turns, next_after_n: next } = await aas.runs.transcript(id, query);
          for (const turn of turns) await printTurn(cli, turn);
          after = next;
        }
      }),
    );
}

async function printTurn({ output }: Cli, turn: Turn): Promise<void> {
  if (output.options.format !== 'table') return output.streamed(turn, turn.path);
  for (const line of transcriptLines(turn)) await output.streamed(turn, line);
}

interface ReplayOptions extends WaitOptions {
  production?: boolean;
  version?: number;
  fromStep?: string;
  toolResults?: 'recorded' | 'live';
}

function addReplay(runs: Command, cli: Cli): void {
  const replay = runs
    .command('replay')
    .description('Replay a run: start a new run with the same input, in mode test unless --production.')
    .argument('<id>', 'id of the run')
    .option('--production', 'replay in mode production: writes are carried out')
    .option('--version <n>', 'replay with this version', positiveInteger)
    .option('--from-step <step>', 'execute this step again, also if it failed, and the steps after it')
    .option('--tool-results <which>', 'results of equal calls: recorded (default), or live from new calls')
    .action(
      cli.action(async (id: string, options: ReplayOptions) => {
        checkWaitOptions(options, 'aas runs replay');
        const { production, version, fromStep, toolResults } = options;
        const aas = await cli.client();
        const run = await aas.runs.replay(id, {
          mode: production ? 'production' : 'test',
          ...(version !== undefined && { version }),
          ...(fromStep !== undefined && { from_step: /^\d+$/.test(fromStep) ? Number(fromStep) : fromStep }),
          ...(toolResults !== undefined && { tool_results: toolResults }),
        });
        return printStarted(aas, cli, run, options);
      }),
    );
  addWaitOptions(replay);
}
