import { randomFill } from 'node:crypto';
import { open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { OperatorError } from './operator-error.js';

const MIB = 1024 * 1024;
/**
 * 48 MiB are for 16 runs that end while the disk is full. Each run writes a result of 1 MiB three times: to the table,
 * to the log, and as a full page of the log. The other 16 MiB are for one segment of the write-ahead log.
 */
const RESERVE_BYTES = 64 * MIB;
/**
 * Number of bytes by which the reserve file shrinks or grows at a time. A program that fills the disk therefore does
 * not get the whole reserve at once.
 */
const SLICE_BYTES = 16 * MIB;
/** Postgres needs 16 MiB for its next log segment, and further space to shut down cleanly. */
const LOW_BYTES = 32 * MIB;
/** A higher value than `LOW_BYTES` makes changes rare. */
const ENOUGH_BYTES = 2 * LOW_BYTES;
const NEW_DATABASE_BYTES = 128 * MIB;
const LOOK_EVERY_MS = 250;
const REPORT_EVERY_MS = 2_000;

const FILE = 'disk-reserve';
const randomBytes = promisify<Buffer, Buffer>(randomFill);

export interface DiskReserveSettings {
  /** Directory for the reserve file. It must be on the disk of the database. */
  directory: string;
  dataDir: string;
  report: (problem: string | null, changed: boolean) => void;
}

/** The file grows while the disk has space, and shrinks while the disk is full. */
export class DiskReserve {
  private readonly file: string;
  private problem: string | null = null;
  private reportedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private ended = false;

  constructor(private readonly settings: DiskReserveSettings) {
    this.file = join(settings.directory, FILE);
  }

  start(): void {
    if (this.ended) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().finally(() => this.start());
    }, LOOK_EVERY_MS);
  }

  /** Resolves when the file no longer changes. The file remains for the next start. */
  async stop(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      const [free, size] = [await freeBytes(this.settings.directory), await sizeOf(this.file)];
      if (free < LOW_BYTES) {
        if (size > 0) await this.giveUp(size);
        this.settle(fullDisk(this.settings.dataDir));
      } else {
        const isWhole = size >= RESERVE_BYTES || (free >= ENOUGH_BYTES + SLICE_BYTES && (await this.take(size)));
        if (isWhole) this.settle(null);
      }
    } catch {
      // The next check tries again.
    }
    this.reportAgain();
  }

  private async giveUp(size: number): Promise<void> {
    const file = await open(this.file, 'r+');
    try {
      await file.truncate(Math.max(0, size - SLICE_BYTES));
    } finally {
      await file.close();
    }
  }

  /** The bytes are random, because a file system may compress other bytes. */
  private async take(size: number): Promise<boolean> {
    const file = await open(this.file, 'a', 0o600);
    try {
      for (let written = 0; written < SLICE_BYTES; written += MIB)
        await file.write(await randomBytes(Buffer.alloc(MIB)));
      await file.sync();
      return size + SLICE_BYTES >= RESERVE_BYTES;
    } catch (error) {
      await file.truncate(size);
      throw error;
    } finally {
      await file.close();
    }
  }

  private settle(problem: string | null): void {
    if (problem === this.problem) return;
    this.problem = problem;
    this.reportedAt = Date.now();
    this.settings.report(problem, true);
  }

  /** Reports the state regularly, because a service that was restarted does not know the state. */
  private reportAgain(): void {
    if (Date.now() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = Date.now();
    this.settings.report(this.problem, false);
  }
}

/** @throws OperatorError if the disk has too little free space for the embedded database */
export async function assertDiskSpace(dataDir: string, databaseDirectory: string): Promise<void> {
  const isNew = (await stat(join(databaseDirectory, 'cluster')).catch(() => undefined)) === undefined;
  const missing = RESERVE_BYTES - (await sizeOf(join(databaseDirectory, FILE)));
  const needed = ENOUGH_BYTES + Math.max(0, missing) + (isNew ? NEW_DATABASE_BYTES : 0);
  const directory = isNew ? dataDir : databaseDirectory;
  const free = await freeBytes(directory);
  if (free >= needed) return;
  throw new OperatorError(
    `The disk that holds ${dataDir} is nearly full: ${inMiB(free)} MiB are free, and the start needs ${inMiB(needed)} MiB. ` +
      'Free space on it, or set DATA_DIR to a directory on another disk.',
  );
}

function fullDisk(dataDir: string): string {
  return (
    `The disk that holds ${dataDir} is full. Free at least ${inMiB(ENOUGH_BYTES + RESERVE_BYTES)} MiB on it. ` +
    'Until then, new runs and syncs are rejected. The emergency stop works, and results of running calls are recorded.'
  );
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

function inMiB(bytes: number): number {
  return Math.floor(bytes / MIB);
}
