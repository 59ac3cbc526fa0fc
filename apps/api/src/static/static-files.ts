import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

/** A built file with its compressed forms, if the build created them. */
export interface StaticFile {
  type: string;
  etag: string;
  bytes: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The folder four levels above this file: the repository, or `dist` in the compiled service. */
const ABOVE = join(import.meta.dirname, '../../../..');
const IS_COMPRESSED = /\.(br|gz)$/;
const ETAG_LENGTH = 27;

/** Returns the folder that contains the built `index.html`, or undefined if it was not built. */
export function findBuild(name: string): string | undefined {
  const folders = [join(ABOVE, name), join(ABOVE, 'dist', name)];
  return folders.find((each) => existsSync(join(each, 'index.html')));
}

/** Reads the files below the folder at the first call. Most processes of a fleet never serve a page. */
export function staticFiles(folder: string): () => ReadonlyMap<string, StaticFile> {
  let files: ReadonlyMap<string, StaticFile> | undefined;
  return () => (files ??= readStaticFiles(folder));
}

/**
 * Reads all files below a folder into memory, so that requests do not access the file system. The keys are relative
 * paths with slashes.
 */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !IS_COMPRESSED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((path) => [path.slice(folder.length + 1).replaceAll(sep, '/'), readFile(path)]));
}

function readFile(path: string): StaticFile {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, ETAG_LENGTH);
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    // The `ETag` is weak, because it is the same for the file and its compressed forms.
    etag: `W/"${hash}"`,
    bytes,
    br: readIfPresent(`${path}.br`),
    gzip: readIfPresent(`${path}.gz`),
  };
}

function readIfPresent(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}
