import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AgentAutomation, FileInput } from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';
import type { Cli } from '../session/cli.js';
import { ProgressBar } from '../waiting/progress-bar.js';
import { listCommand } from './list-command.js';

type Files = AgentAutomation['files'];
type StoredFile = Awaited<ReturnType<Files['get']>>;
type Bytes = NonNullable<Awaited<ReturnType<Files['download']>>['body']>;

const STANDARD_STREAM = '-';
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
        const bar = new ProgressBar(cli, 'Uploading');
        const onProgress = ({ sent, total }: { sent: number; total: number | null }): void =>
          bar.show(sent, total ?? undefined);
        try {
          const aas = await cli.client();
          const file = await aas.files.upload(input, { ...options, onProgress });
          bar.clear();
          await cli.output.object(file, file.id);
        } finally {
          bar.clear();
        }
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
        const { files: stored } = await cli.client();
        if (to === undefined) return cli.output.object(await stored.get(id), id);
        if (to !== STANDARD_STREAM) await assertNew(to);
        const { body, close } = await stored.download(id);
        try {
          if (body) await writeBytes(cli, body, to);
        } finally {
          close();
        }
      }),
    );
}

async function uploadOf(cli: Cli, path: string): Promise<FileInput> {
  if (path === STANDARD_STREAM) return Readable.toWeb(cli.terminal.stdin) as ReadableStream<Uint8Array>;
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw usageError('The file does not exist.', path, 'Name a file that exists.');
  return { path };
}

async function assertNew(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) return;
  throw existing(path);
}

/** The file gets its name when it is complete, so an interrupted download leaves no incomplete file of this name. */
async function writeBytes(cli: Cli, body: Bytes, to: string): Promise<void> {
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  if (to === STANDARD_STREAM) return pipeline(source, cli.terminal.stdout, { end: false });
  const partial = join(dirname(to), `.${basename(to)}.${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(source, createWriteStream(partial, { flags: 'wx' }));
    await link(partial, to).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existing(to) : error;
    });
  } finally {
    await rm(partial, { force: true });
  }
}

function existing(path: string): Error {
  return usageError('The file exists already.', path, 'Choose another path. An existing file is not replaced.');
}
