import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { usageError } from '../errors/command-error.js';

export const PROJECT_FILE = 'aas.yaml';

/** A project: its name in `aas.yaml`, and the folder of this file. */
export interface Project {
  folder: string;
  name: string;
}

/**
 * Finds `aas.yaml` in the folder of the first path or a folder above it. If there is none, finds it in the working
 * folder or a folder above it.
 */
export async function findProject(paths: readonly string[]): Promise<Project> {
  const folder = (await projectFolder(resolve(paths[0] ?? '.'))) ?? (await projectFolder(resolve('.')));
  if (folder === undefined) {
    throw usageError(
      `There is no ${PROJECT_FILE} in this folder or in a folder above it.`,
      PROJECT_FILE,
      'Run `aas init` first.',
    );
  }
  return { folder, name: projectName(await readFile(join(folder, PROJECT_FILE), 'utf8'), join(folder, PROJECT_FILE)) };
}

async function projectFolder(path: string): Promise<string | undefined> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await stat(join(folder, PROJECT_FILE)).catch(() => undefined);
    if (found?.isFile()) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function projectName(text: string, path: string): string {
  const name = projectMember(text, path);
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw usageError('`project` is missing.', path, 'Write `project: <name>`.');
}

function projectMember(text: string, path: string): unknown {
  try {
    return (parse(text) as { project?: unknown } | null)?.project;
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw usageError(`The file is not valid YAML: ${first}`, path, 'Write `project: <name>`.');
  }
}
