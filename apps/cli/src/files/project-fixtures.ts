import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';
import type { Cli } from '../session/cli.js';
import { withUploadBar } from '../waiting/progress-bar.js';
import type { Project } from './project-file.js';

/** Folder beside `aas.yaml`. */
export const FIXTURES_FOLDER = 'fixtures';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export interface PlannedFixture {
  name: string;
  path: string;
  action: 'create' | 'update';
}

/** Returns the files of the folder `fixtures` that the service does not have with these bytes, in order. */
export async function planFixtures(aas: AgentAutomation, { folder }: Project): Promise<PlannedFixture[]> {
  const local = await localFixtures(join(folder, FIXTURES_FOLDER));
  if (local.length === 0) return [];
  const present = new Map<string, string>();
  for await (const { name, file } of aas.fixtures.list()) present.set(name, file.sha256);
  const planned: PlannedFixture[] = [];
  for (const { name, path } of local) {
    const known = present.get(name);
    if (known !== (await sha256Of(path)))
      planned.push({ name, path, action: known === undefined ? 'create' : 'update' });
  }
  return planned;
}

export async function pushFixtures(cli: Cli, aas: AgentAutomation, planned: readonly PlannedFixture[]): Promise<void> {
  for (const { name, path } of planned)
    await withUploadBar(cli, (onProgress) => aas.fixtures.put(name, { path }, { onProgress }));
}

async function localFixtures(folder: string): Promise<{ name: string; path: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.filter((entry) => !entry.name.startsWith('.'));
  const unusable = files.find((entry) => !entry.isFile() || !NAME.test(entry.name));
  if (unusable) {
    const remedy =
      'Fixtures are files with 1 to 128 letters, digits, `.`, `_` and `-` in their names, without folders.';
    throw usageError('This cannot be a fixture.', join(folder, unusable.name), remedy);
  }
  return files.map(({ name }) => ({ name, path: join(folder, name) })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
