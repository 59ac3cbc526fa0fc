import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { transform } from '@swc/core';

const ROOT = join(import.meta.dirname, '..', '..');

/** A copy of product code as JavaScript that a plain `node` process of its own can run. */
export interface CompiledFolder {
  directory: string;
  remove(): Promise<void>;
}

/**
 * Compiles the TypeScript files of one folder of the checkout (path relative to its root, tests left out), readable for every account.
 * It lies below `node_modules`, so that npm packages resolve; imports of `@app/…` do not.
 */
export async function compileFolder(folder: string): Promise<CompiledFolder> {
  const cache = join(ROOT, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'compiled-'));
  await chmod(directory, 0o755);
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const names = await readdir(join(ROOT, folder), { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.endsWith('spec.ts'))) {
    const { code } = await transform(await readFile(join(ROOT, folder, name), 'utf8'), {
      filename: name,
      configFile: false,
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    const target = join(directory, name.replace(/\.ts$/, '.js'));
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, code);
  }
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
