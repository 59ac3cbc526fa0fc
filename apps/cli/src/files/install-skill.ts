import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';

/**
 * Writes the skill into a folder below `to`, and returns the path of this folder. Files that are equal stay as they are.
 * @throws CommandError with exit code 5 if a file differs, unless `overwrite` is set; nothing is written then
 */
export async function installSkill(to: string, overwrite: boolean): Promise<string> {
  // The module exists only in the build, so it is not imported at the top.
  const { name, files } = await import('virtual:skill');
  const folder = join(to, name);
  const texts = Object.entries(files).map(([path, text]) => ({ path: join(folder, path), text }));
  const present = await Promise.all(texts.map(({ path }) => readIfPresent(path)));
  const differing = texts.find(({ text }, index) => (present[index] ?? text) !== text);
  if (differing && !overwrite) throw differs(differing.path);
  for (const [index, { path, text }] of texts.entries()) {
    if (present[index] === text) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return folder;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

function differs(where: string): CommandError {
  const remedy = 'Add `--overwrite` to replace it, or choose another folder with `--to`.';
  return new CommandError('The file exists with another content. Nothing was written.', {
    exitCode: EXIT.conflict,
    where,
    remedy,
  });
}
