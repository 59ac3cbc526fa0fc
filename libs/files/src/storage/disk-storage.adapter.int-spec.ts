import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from '../../../../test/support/small-disk.js';
import { DiskStorageAdapter } from './disk-storage.adapter.js';
import { StorageUnavailable } from './file-storage.js';

const MIB = 1024 * 1024;

describe('an upload to the disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-disk-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each([
    [0, MIB],
    [1, 1],
    [300_000, 100],
    [33 * MIB + 5, 64 * 1024],
    [2 * MIB, 2 * MIB],
  ])('keeps the order of %d bytes that arrive in windows of %d', async (size, window) => {
    const bytes = randomBytes(size);
    await new DiskStorageAdapter(folder).put('a', windowsOf(bytes, window));
    expect((await readFile(join(folder, 'a'))).equals(bytes)).toBe(true);
  });

  it('leaves nothing if its source fails while a batch is written', async () => {
    const failure = new Error('aborted');
    const source = (async function* (): AsyncGenerator<Buffer> {
      yield* windowsOf(Buffer.alloc(20 * MIB), 64 * 1024);
      throw failure;
    })();
    await expect(new DiskStorageAdapter(folder).put('a', source)).rejects.toBe(failure);
    expect(await readdir(folder)).toEqual([]);
  });

  (SmallDisk.isPossible() ? it : it.skip)('leaves nothing on a full disk, and stops its source', async () => {
    const disk = SmallDisk.create(2);
    try {
      let read = 0;
      const source = (async function* (): AsyncGenerator<Buffer> {
        for await (const window of windowsOf(Buffer.alloc(20 * MIB), 50_000)) {
          read += window.length;
          yield window;
        }
      })();
      const storage = new DiskStorageAdapter(disk.directory);
      await expect(storage.put('a', source)).rejects.toThrow(StorageUnavailable);
      expect(await readdir(disk.directory)).toEqual([]);
      // A batch that failed, and the next one.
      expect(read).toBeLessThan(3 * MIB);
    } finally {
      disk.remove();
    }
  });
});

async function* windowsOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
