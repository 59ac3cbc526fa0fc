import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, link, rm, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';

type Files = AgentAutomation['files'];
type DownloadOptions = NonNullable<Parameters<Files['download']>[1]>;

/** Maximum length of a name without its ending, in bytes of UTF-8. File systems allow 255 bytes in all. */
const MAX_STEM_BYTES = 180;
const MAX_ENDING = 16;

/** @throws a usage error if the path is not a file that can be read */
export async function assertReadable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw usageError('The file does not exist.', path, 'Name a file that exists.');
  if (!found.isFile()) throw usageError('This is not a file.', path, 'Name a file, not a folder or a device.');
  await access(path, constants.R_OK).catch(() => {
    throw usageError('The file cannot be read.', path, 'Allow your account to read the file.');
  });
}

/**
 * Downloads a file of the service to a path that does not exist yet. The file gets its name when it is complete, so an
 * interrupted download leaves no incomplete file of this name.
 */
export async function downloadTo(files: Files, id: string, path: string, options: DownloadOptions = {}): Promise<void> {
  if (await stat(path).catch(() => undefined)) throw existing(path);
  const write = async (content: Readable): Promise<void> => {
    const partial = join(dirname(path), `.aas-${randomBytes(6).toString('hex')}`);
    try {
      await pipeline(content, createWriteStream(partial, { flags: 'wx' }));
      await link(partial, path).catch((error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existing(path) : error;
      });
    } finally {
      await rm(partial, { force: true });
    }
  };
  await readContent(files, id, write, options);
}

/** @throws CommandError if the connection breaks before the content is complete */
export async function readContent(
  files: Files,
  id: string,
  read: (content: Readable) => Promise<void>,
  options: DownloadOptions = {},
): Promise<void> {
  const { body, close } = await files.download(id, options);
  try {
    await read(body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]));
  } catch (error) {
    // `fetch` reports a broken connection as a TypeError.
    if ((error as Error).name !== 'TypeError') throw error;
    const remedy = 'Run the command again. If it fails again, the service has lost a part of the file.';
    throw new CommandError('The download broke off.', { exitCode: EXIT.unavailable, where: id, remedy });
  } finally {
    close();
  }
}

function existing(path: string): Error {
  return usageError('The file exists already.', path, 'Choose another path. An existing file is not replaced.');
}

/**
 * Returns a name for a file in a folder, and adds it to `taken`. The name has no folders, control characters and leading
 * dots, also if the service did not clean it. Names differ by more than upper and lower case, which some file systems
 * do not distinguish.
 */
export function distinctName(filename: string, taken: Set<string>): string {
  const { name, ext } = parse(cleanName(filename));
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? `${name}${ext}` : `${name}-${n}${ext}`;
    const key = candidate.toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return candidate;
  }
}

function cleanName(filename: string): string {
  const last = filename.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const { name, ext } = parse(last.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').replace(/^[.\s]+|\s+$/g, ''));
  // A character that is cut in the middle becomes U+FFFD.
  const stem = Buffer.from(name)
    .subarray(0, MAX_STEM_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${stem}${[...ext].slice(0, MAX_ENDING).join('')}` || 'file';
}
