import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

import { errorText } from '@app/kernel';

import { OperatorError } from '../operator-error.js';
import { errorCode } from '../postgres/error-code.js';
import { syncDirectory } from '../postgres/database-pointer.js';
import {
  type BackupPartition,
  type BackupRecord,
  type BackupTable,
  readRecords,
  recordBytes,
} from './backup-records.js';

/** It can be read without unpacking the file, for example with `head -n 2 <file>`. */
export interface BackupHeader {
  service_version: string;
  created_at: string;
  postgres: string;
  migrations: string[];
  /** A name does not reveal its key. */
  encryption_keys: string[];
  includes_encryption_keys: boolean;
  /** A restored installation permits this agent to call the API of the service. */
  sample_agent?: string;
  /** The files of workspaces, as their rows say. Missing in a backup of a release without files. */
  files?: BackupFiles;
  tables: BackupTable[];
  partitions: BackupPartition[];
}

export interface BackupFiles {
  storage: 'disk' | 's3';
  count: number;
  /** Size of the files before encryption. */
  bytes: number;
  /** Whether the backup has their encrypted bytes. Those of a bucket are never in it. */
  included: boolean;
}

/** Version of the service. A test checks that it equals the version in package.json. */
export const SERVICE_VERSION = '0.1.0';

/** Version of the file format. It increases when older releases cannot read the new format. */
export const FORMAT = 1;
const TITLE = 'agent-automation-service backup';
const FIRST_LINE = new RegExp(`^${TITLE} (\\d+)$`);
/** It contains the SHA-256 of everything before it. */
const LAST_LINE = /^sha256:([0-9a-f]{64})\n$/;
const LAST_LINE_BYTES = 'sha256:'.length + 64 + 1;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * Only the owner can read the file.
 * @throws OperatorError if the file exists or cannot be written
 */
export async function writeBackupFile(
  file: string,
  header: BackupHeader,
  records: AsyncIterable<BackupRecord>,
): Promise<void> {
  await assertNew(file);
  const partial = `${file}.partial`;
  // A process that was killed while it wrote a backup has left a partial file.
  await rm(partial, { force: true });
  try {
    await pipeline(
      Readable.from(packed(records)),
      createGzip(),
      (compressed: AsyncIterable<Buffer>) => sealed(header, compressed),
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
    );
    await assertNew(file);
    await rename(partial, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw isOfFile(error)
      ? new OperatorError(`${file} cannot be written: ${error.message}. Choose another file.`)
      : error;
  }
}

/** Whether the error comes from writing the file, and not from reading the database. */
function isOfFile(error: unknown): error is Error {
  return (
    error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync', 'rename'].includes(String(error.syscall))
  );
}

async function assertNew(file: string): Promise<void> {
  if ((await stat(file).catch(() => undefined)) === undefined) return;
  throw new OperatorError(`${file} exists. Choose another name, or remove the file first.`);
}

async function* packed(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer, void> {
  for await (const record of records) yield* recordBytes(record);
}

async function* sealed(header: BackupHeader, compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256');
  const beginning = Buffer.from(`${TITLE} ${FORMAT}\n${JSON.stringify(header)}\n`);
  hash.update(beginning);
  yield beginning;
  for await (const chunk of compressed) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(`sha256:${hash.digest('hex')}\n`);
}

export class BackupFile {
  private constructor(
    readonly path: string,
    readonly header: BackupHeader,
    private readonly bodyStart: number,
    private readonly bodyEnd: number,
  ) {}

  /** @throws OperatorError if the file is not a backup, has a newer format, is incomplete or was changed */
  static async open(path: string): Promise<BackupFile> {
    const handle = await open(path, 'r').catch((error: unknown) => {
      const reason = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${errorText(error)}`;
      throw new OperatorError(`${path} ${reason}. Give the path of a file that "npm run backup" made.`);
    });
    try {
      const { size } = await handle.stat();
      const { header, bodyStart } = await readHeader(path, handle);
      const bodyEnd = size - LAST_LINE_BYTES;
      await assertWhole(path, handle, bodyEnd);
      return new BackupFile(path, header, bodyStart, bodyEnd);
    } finally {
      await handle.close();
    }
  }

  async *records(): AsyncGenerator<BackupRecord, void> {
    const bytes = createReadStream(this.path, { start: this.bodyStart, end: this.bodyEnd - 1 });
    const unpacked = createGunzip();
    const reading = pipeline(bytes, unpacked);
    // Prevents an unhandled rejection. The loop over the records reports the same error.
    reading.catch(() => undefined);
    try {
      yield* readRecords(unpacked);
    } finally {
      bytes.destroy();
      unpacked.destroy();
    }
  }

  /** Empty if the backup contains no keys. */
  async keys(): Promise<string[]> {
    if (!this.header.includes_encryption_keys) return [];
    for await (const record of this.records()) return record.kind === 'keys' ? record.keys : [];
    return [];
  }
}

async function readHeader(path: string, handle: FileHandle): Promise<{ header: BackupHeader; bodyStart: number }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const first = bytes.indexOf('\n');
    const format = FIRST_LINE.exec(bytes.subarray(0, Math.max(0, first)).toString('latin1'))?.[1];
    if (format === undefined && (first >= 0 || bytes.length > TITLE.length + PIECE_BYTES))
      throw new OperatorError(`${path} is not a backup of this service. Give a file that "npm run backup" made.`);
    if (format !== undefined && Number(format) > FORMAT)
      throw new OperatorError(
        `${path} has the format ${format} of a newer release, and this release reads up to ${FORMAT}. Update this installation, then restore.`,
      );
    const second = first < 0 ? -1 : bytes.indexOf('\n', first + 1);
    if (second >= 0) return { header: parseHeader(path, bytes.subarray(first + 1, second)), bodyStart: second + 1 };
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, bytes.length);
    if (bytesRead === 0 || bytes.length > MAX_HEADER_BYTES) throw incomplete(path);
    bytes = Buffer.concat([bytes, piece.subarray(0, bytesRead)]);
  }
}

function parseHeader(path: string, line: Buffer): BackupHeader {
  try {
    return JSON.parse(line.toString('utf8')) as BackupHeader;
  } catch {
    throw changed(path);
  }
}

async function assertWhole(path: string, handle: FileHandle, bodyEnd: number): Promise<void> {
  const line = Buffer.alloc(LAST_LINE_BYTES);
  if (bodyEnd > 0) await handle.read(line, 0, LAST_LINE_BYTES, bodyEnd);
  const wanted = LAST_LINE.exec(line.toString('latin1'))?.[1];
  if (wanted === undefined) throw incomplete(path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: bodyEnd - 1 })) hash.update(chunk as Buffer);
  if (hash.digest('hex') !== wanted) throw changed(path);
}

function incomplete(path: string): OperatorError {
  return new OperatorError(`${path} is incomplete: its end is missing. Copy it again from where it was made.`);
}

function changed(path: string): OperatorError {
  return new OperatorError(
    `${path} was changed after it was made: its content does not have the recorded hash. Copy it again from where it was made, or use another backup.`,
  );
}
