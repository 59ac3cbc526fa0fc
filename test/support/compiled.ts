import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { transform } from '@swc/core';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Product code that is compiled to JavaScript, so that a separate `node` process can run a module that is no program of
 * the build.
 */
export interface CompiledFolder {
  directory: string;
  remove(): Promise<void>;
}

/**
 * Compiles the TypeScript files of one folder, except tests. `folder` is relative to the root of the repository. The
 * output is in `node_modules`, so that imports of npm packages resolve. Imports of the kernel resolve too, but imports
 * of other libs do not. Every user account can read the output.
 */
export async function compileFolder(folder: string): Promise<CompiledFolder> {
  const directory = await compiledDirectory();
  const kernel = join(directory, 'kernel');
  for (const [source, target] of [
    ['libs/kernel/src', kernel],
    [folder, directory],
  ] as const)
    await compileInto(source, target, JSON.stringify(pathToFileURL(join(kernel, 'index.js')).href));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

async function compiledDirectory(): Promise<string> {
  const cache = join(ROOT, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'compiled-'));
  await chmod(directory, 0o755);
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  return directory;
}

/** Compiles the files of `folder` into `directory`. Replaces the name of the kernel in imports by `kernel`. */
async function compileInto(folder: string, directory: string, kernel: string): Promise<void> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts') && !/\.(\w+-)?spec\.ts$/.test(each))) {
    const { code } = await transform(await readFile(join(ROOT, folder, name), 'utf8'), {
      filename: name,
      configFile: false,
      swcrc: false,
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true },
      },
      module: { type: 'es6' },
    });
    const target = join(directory, name.replace(/\.ts$/, '.js'));
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, code.replaceAll(/(['"])@app\/kernel\1/g, kernel));
  }
}
