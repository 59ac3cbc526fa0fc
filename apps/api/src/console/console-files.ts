import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** One built file, and its compressed forms if the build created them. */
export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

export interface ConsoleFiles {
  /** The page, split at each place where the nonce is inserted. */
  shell: readonly string[];
  /** Built files by file name. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** Placeholder that the build writes where a response contains its nonce. */
const NONCE = 'NONCE';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Four folders above this file: the repository, or `dist` in the compiled service. */
const ABOVE = join(import.meta.dirname, '../../../..');
const FOLDERS = [join(ABOVE, 'console'), join(ABOVE, 'dist/console')];

/**
 * Reads the built console into memory, so that requests do not access the file system. Returns undefined if the console
 * was not built.
 */
export function readConsoleFiles(folders: readonly string[] = FOLDERS): ConsoleFiles | undefined {
  const folder = folders.find((each) => existsSync(join(each, 'index.html')));
  if (folder === undefined) return undefined;
  const assets = join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    shell: readFileSync(join(folder, 'index.html'), 'utf8').split(NONCE),
    assets: new Map(names.map((name) => [name, readFile(join(assets, name))])),
  };
}

function readFile(path: string): ConsoleFile {
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes: readFileSync(path),
    br: readIfPresent(`${path}.br`),
    gzip: readIfPresent(`${path}.gz`),
  };
}

function readIfPresent(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}
