import { type Command, Option } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { agentIdOf, collected, positiveInteger } from '../input/command-arguments.js';
import type { View } from '../output/output.js';

/**
 * Maximum number of rows that are printed to a terminal without `--limit`. If the output is a pipe, all rows are
 * printed.
 */
const SHOWN_ROWS = 50;
const MAX_PAGE = 100;

/** A filter of a list. The option has the name of the API parameter. */
export interface Filter {
  parameter: string;
  summary: string;
  isRepeatable?: boolean;
  /** True if the option takes no value. */
  isFlag?: boolean;
}

/** How a command reads and shows a list of the API. `Query` contains the parameters of the operation. */
export interface ListOf<Row extends object, Query extends object> extends View<Row> {
  filters?: readonly Filter[];
  /** `of` is the first argument of the command: the agent or knowledge base that the list belongs to. */
  rows: (aas: AgentAutomation, query: Query, of: string) => AsyncIterable<Row>;
}

export function listCommand<Row extends object, Query extends object>(
  command: Command,
  cli: Cli,
  list: ListOf<Row, Query>,
): Command {
  const hasSubject = command.registeredArguments.length > 0;
  return addListOptions(command, list.filters).action(
    cli.action((...given: unknown[]) =>
      printList(cli, list, given[hasSubject ? 1 : 0] as ListOptions, hasSubject ? String(given[0]) : ''),
    ),
  );
}

export interface ListOptions {
  limit?: number;
}

export function addListOptions(command: Command, filters: readonly Filter[] = []): Command {
  command.option('--limit <rows>', 'show at most this many rows', positiveInteger);
  for (const filter of filters) command.addOption(filterOption(filter));
  return command.addOption(new Option('--order <order>', 'order by creation time').choices(['asc', 'desc']));
}

export async function printList<Row extends object, Query extends object>(
  cli: Cli,
  list: ListOf<Row, Query>,
  { limit, ...options }: ListOptions,
  of: string,
): Promise<void> {
  const aas = await cli.client();
  const isShortened = limit === undefined && cli.terminal.stdout.isTTY;
  const most = limit ?? (isShortened ? SHOWN_ROWS : Infinity);
  const query = {
    limit: Math.min(most, MAX_PAGE),
    ...(await withAgentId(aas, parametersOf(options))),
  } as Query;
  const rows = list.rows(aas, query, of);
  if (!isShortened) return cli.output.list(firstRows(rows, most), list);
  const more = `Only ${SHOWN_ROWS} rows are shown, and there may be more. Add \`--limit <rows>\` to show more.`;
  return cli.output.list(
    firstRows(rows, most, () => cli.output.words(more)),
    list,
  );
}

/** Yields the first `most` rows. Calls `onCut` after row number `most`, even if no more rows follow. */
async function* firstRows<Row>(
  rows: AsyncIterable<Row>,
  most: number,
  onCut: () => void = () => undefined,
): AsyncGenerator<Row> {
  let shown = 0;
  for await (const row of rows) {
    yield row;
    shown += 1;
    if (shown === most) {
      onCut();
      return;
    }
  }
}

/** Replaces the name of an agent by its id, because the API filters only by id. */
async function withAgentId(aas: AgentAutomation, parameters: Parameters): Promise<Parameters> {
  const { agent } = parameters;
  return typeof agent === 'string' ? { ...parameters, agent: await agentIdOf(aas, agent) } : parameters;
}

type Parameters = Record<string, unknown>;

function filterOption({ parameter, summary, isRepeatable = false, isFlag = false }: Filter): Option {
  const flag = `--${parameter.replaceAll('_', '-')}`;
  const option = new Option(isFlag ? flag : `${flag} <value>`, summary);
  return isRepeatable ? option.argParser<string[]>(collected) : option;
}

/** Converts the camelCase names of options to the snake_case names of parameters. */
function parametersOf(options: object): Parameters {
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [snakeCase(name), value]));
}
