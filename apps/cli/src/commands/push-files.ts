import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import type { AgentAutomation, UploadProgress } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { usageError } from '../errors/command-error.js';
import { ProgressBar } from '../waiting/progress-bar.js';
import { eachOnce, type Sync } from './source-sync.js';

const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

interface LocalFile {
  path: string;
  /** Name of the document: the path of the file relative to the folder argument. */
  name: string;
  bytes: number;
}

/**
 * Pushes files into the `upload` source of a knowledge base. A file replaces the document with the same name. Returns
 * each sync once, because one sync can index several files. A file is read while it is sent.
 */
export async function pushFiles(cli: Cli, base: string, paths: readonly string[]): Promise<Sync[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const unknown = files.find(({ path }) => typeOf(path) === undefined);
  if (unknown) {
    const known = Object.keys(TYPES).join(', ');
    throw usageError('This file type is not supported.', unknown.path, `Supported are files that end in ${known}.`);
  }
  const aas = await cli.client();
  const source = await uploadSource(aas, base);
  const bar = new ProgressBar(cli, `Pushing to ${base}`);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const syncs: Sync[] = [];
  let done = 0;
  try {
    for (const { path, name, bytes } of files) {
      const document = { name, type: typeOf(path) ?? '', bytes: { path } };
      const onProgress = ({ sent }: UploadProgress): void => bar.show(done + sent, total);
      syncs.push(await aas.documents.push(base, source, document, { onProgress }));
      done += bytes;
    }
  } finally {
    bar.clear();
  }
  return eachOnce(syncs);
}

async function uploadSource(aas: AgentAutomation, base: string): Promise<string> {
  for await (const { id, connector } of aas.sources.list(base)) if (connector === 'upload') return id;
  return (await aas.sources.create(base, { connector: 'upload' })).id;
}

async function filesOf(path: string): Promise<LocalFile[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw usageError('The file does not exist.', path, 'Name files or folders that exist.');
  if (!found.isDirectory()) return [{ path, name: basename(path), bytes: found.size }];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && typeOf(entry.name) !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(
    paths.map(async (file) => {
      const { size: bytes } = await stat(file);
      return { path: file, name: relative(path, file).split(sep).join('/'), bytes };
    }),
  );
}

function typeOf(path: string): string | undefined {
  return TYPES[extname(path).toLowerCase()];
}
