import { basename } from 'node:path';
import type { Command } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';
import type { Cli } from '../session/cli.js';
import { withUploadBar } from '../waiting/progress-bar.js';
import { listCommand } from './list-command.js';
import { STANDARD_STREAM, uploadOf, writeContent } from './stored-files.commands.js';

type Fixtures = AgentAutomation['fixtures'];
type Fixture = Awaited<ReturnType<Fixtures['get']>>;

const NAME = 'name of the fixture';

export function configureFixtures(fixtures: Command, cli: Cli): void {
  listCommand(fixtures.command('list').description('List fixtures.'), cli, {
    columns: [
      ['NAME', ({ name }) => name],
      ['TYPE', ({ file }) => file.content_type],
      ['BYTES', ({ file }) => file.bytes],
      ['CREATED', ({ file }) => file.created_at],
      ['FILE', ({ file }) => file.id],
    ],
    nameOf: ({ name }: Fixture) => name,
    rows: (aas, query: Parameters<Fixtures['list']>[0]) => aas.fixtures.list(query),
  });
  fixtures
    .command('put')
    .description('Store a file as a fixture, or replace the file of the fixture.')
    .argument('<path>', 'the file; - is standard input')
    .option('--name <name>', 'name of the fixture; default: the name of the file')
    .action(
      cli.action(async (path: string, { name = nameOf(path) }: { name?: string }) => {
        const input = await uploadOf(cli, path);
        const { fixtures: stored } = await cli.client();
        const fixture = await withUploadBar(cli, (onProgress) => stored.put(name, input, { onProgress }));
        await cli.output.object(fixture, fixture.name);
      }),
    );
  fixtures
    .command('get')
    .description('Show a fixture, or write its bytes to a new file.')
    .argument('<name>', NAME)
    .option('--to <path>', 'write the bytes to this new file; - is standard output')
    .action(
      cli.action(async (name: string, { to }: { to?: string }) => {
        const fixture = await (await cli.client()).fixtures.get(name);
        if (to !== undefined) return writeContent(cli, fixture.file.id, to);
        return cli.output.object(fixture, name);
      }),
    );
  fixtures
    .command('delete')
    .description('Delete a fixture. Evaluations that use its bytes keep them.')
    .argument('<name>', NAME)
    .action(cli.action(async (name: string) => (await cli.client()).fixtures.delete(name)));
}

function nameOf(path: string): string {
  if (path !== STANDARD_STREAM) return basename(path);
  throw usageError('Standard input has no name.', '--name', 'Add `--name <name>`.');
}
