import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AgentAutomation, FileInput } from '../../../../packages/sdk/src/index.js';
import { assertReadable, downloadTo, readContent } from '../files/local-files.js';
import type { Cli } from '../session/cli.js';
import { withUploadBar } from '../waiting/progress-bar.js';
import { listCommand } from './list-command.js';

type Files = AgentAutomation['files'];
type StoredFile = Awaited<ReturnType<Files['get']>>;

/** Stands for standard input or standard output in place of a path. */
export const STANDARD_STREAM = '-';
const ID = 'id of the file';

export function configureFiles(files: Command, cli: Cli): void {
  files
    .command('upload')
    .description('Upload a file.')
    .argument('<path>', 'the file; - is standard input')
    .option('--filename <name>', 'name of the file in the service')
    .option('--expires-in <duration>', 'delete the file after this time if nothing uses it, for example 7d')
    .action(
      cli.action(async (path: string, options: { filename?: string; expiresIn?: string }) => {
        const input = await uploadOf(cli, path);
        const file = await withUploadBar(cli, async (onProgress) =>
          (await cli.client()).files.upload(input, { ...options, onProgress }),
        );
        await cli.output.object(file, file.id);
      }),
    );
  listCommand(files.command('list').description('List files.'), cli, {
    filters: [
      { parameter: 'source', summary: 'only files that came in this way' },
      { parameter: 'since', summary: 'only files that were created at this time or later' },
    ],
    columns: [
      ['NAME', (file) => file.filename],
      ['TYPE', (file) => file.content_type],
      ['BYTES', (file) => file.bytes],
      ['CREATED', (file) => file.created_at],
      ['ID', (file) => file.id],
    ],
    nameOf: (file: StoredFile) => file.id,
    rows: (aas, query: Parameters<Files['list']>[0]) => aas.files.list(query),
  });
  addGet(files, cli);
  files
    .command('delete')
    .description('Delete a file.')
    .argument('<id>', ID)
    .action(cli.action(async (id: string) => (await cli.client()).files.delete(id)));
}

function addGet(files: Command, cli: Cli): void {
  files
    .command('get')
    .description('Show a file, or write its bytes to a new file.')
    .argument('<id>', ID)
    .option('--to <path>', 'write the bytes to this new file; - is standard output')
    .action(
      cli.action(async (id: string, { to }: { to?: string }) => {
        if (to !== undefined) return writeContent(cli, id, to);
        return cli.output.object(await (await cli.client()).files.get(id), id);
      }),
    );
}

export async function writeContent(cli: Cli, id: string, to: string): Promise<void> {
  const { files } = await cli.client();
  if (to !== STANDARD_STREAM) return downloadTo(files, id, to);
  return readContent(files, id, (content) => pipeline(content, cli.terminal.stdout, { end: false }));
}

export async function uploadOf(cli: Cli, path: string): Promise<FileInput> {
  if (path === STANDARD_STREAM) return Readable.toWeb(cli.terminal.stdin) as ReadableStream<Uint8Array>;
  await assertReadable(path);
  return { path };
}
