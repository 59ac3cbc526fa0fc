import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentAutomation, ConnectionError, TimeoutError } from '../../../../packages/sdk/src/index.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { distinctName, downloadTo } from '../files/local-files.js';
import { errorLines } from '../output/error-lines.js';
import type { Cli } from '../session/cli.js';
import { ProgressBar } from '../waiting/progress-bar.js';

type StoredFile = Awaited<ReturnType<AgentAutomation['files']['get']>>;

interface Wanted {
  folder: string;
  /** True to write redacted files, too. */
  reveal?: boolean;
}

/**
 * Writes each file of the run into the folder once, and prints the written files. Reports a file that cannot be written,
 * and continues with the others.
 *
 * @throws CommandError if a file was not written
 */
export async function downloadFiles(cli: Cli, run: string, given: Wanted): Promise<void> {
  const { folder, reveal = false } = given;
  const aas = await cli.client();
  const files = new Map<string, StoredFile>();
  for await (const { file } of aas.runs.files(run, { order: 'asc', limit: 100, reveal })) files.set(file.id, file);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw usageError((error as Error).message, '--to', 'Name a folder.');
  });
  const failed: string[] = [];
  await cli.output.list(writtenFiles(cli, aas, [...files.values()], { folder, reveal, failed }), {
    columns: [
      ['PATH', ({ path }) => path],
      ['TYPE', (file) => file.content_type],
      ['BYTES', (file) => file.bytes],
      ['ID', (file) => file.id],
    ],
    nameOf: ({ path }) => path,
  });
  if (failed.length === 0) return;
  throw new CommandError(`${failed.length} of ${files.size} files were not written.`, {
    exitCode: EXIT.unsuccessful,
    where: failed.join(', '),
    remedy: 'See the reasons above. The other files are complete.',
  });
}

async function* writtenFiles(
  cli: Cli,
  aas: AgentAutomation,
  files: readonly StoredFile[],
  { folder, reveal, failed }: Wanted & { failed: string[] },
): AsyncGenerator<StoredFile & { path: string }> {
  const bar = new ProgressBar(cli, 'Downloading');
  const taken = new Set<string>();
  for (const [at, file] of files.entries()) {
    const path = join(folder, distinctName(file.filename, taken));
    bar.show(at, files.length);
    const error: unknown = await downloadTo(aas.files, file.id, path, { reveal }).catch((reason: unknown) => reason);
    bar.clear();
    if (error instanceof ConnectionError || error instanceof TimeoutError) throw error;
    if (error === undefined) {
      yield { ...file, path };
      continue;
    }
    failed.push(file.id);
    const [what = ''] = errorLines(error, cli.address);
    cli.output.report(`${file.id} (${file.filename}) was not written. ${what}`);
  }
}
