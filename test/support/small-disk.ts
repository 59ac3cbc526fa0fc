import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';

const CHUNK = Buffer.alloc(1024 * 1024);

/**
 * A file system of a limited size, so that a test can fill the disk. The test needs the permission to mount file
 * systems.
 */
export class SmallDisk {
  private constructor(
    /** Mount point of the file system. Other user accounts can access it. */
    readonly directory: string,
  ) {}

  static create(mebibytes: number): SmallDisk {
    const directory = mkdtempSync(join(tmpdir(), 'small-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', directory], {
        stdio: 'pipe',
      });
    } catch (error) {
      rmdirSync(directory);
      throw error;
    }
    chmodSync(directory, 0o711);
    return new SmallDisk(directory);
  }

  /** Returns whether this user account may mount file systems. If not, logs this. */
  static isPossible(): boolean {
    try {
      SmallDisk.create(1).remove();
      return true;
    } catch {
      console.warn('NOT tested: a full disk, because this account may not mount a file system');
      return false;
    }
  }

  async fill(): Promise<void> {
    const file = await open(join(this.directory, 'filler'), 'a');
    try {
      for (;;) await file.write(CHUNK);
    } catch (error) {
      // `instanceof` does not work here, because jest has its own error classes.
      if (!(types.isNativeError(error) && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      await file.close();
    }
  }

  free(): Promise<void> {
    return rm(join(this.directory, 'filler'), { force: true });
  }

  /** Unmounts the file system, even if a program still uses it. */
  remove(): void {
    execFileSync('umount', ['--lazy', this.directory]);
    rmdirSync(this.directory);
  }
}
