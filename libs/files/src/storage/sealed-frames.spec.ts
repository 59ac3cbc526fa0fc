import { randomBytes } from 'node:crypto';
import { BytesMissing } from './file-storage.js';
import { FRAME_BYTES, newFileKey, openFrames, sealedRange, sealFrames } from './sealed-frames.js';

const TAG_BYTES = 16;

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collected(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

describe('sealed frames', () => {
  const key = newFileKey();
  const read = (sealed: Buffer, bytes: number, first = 0, last = bytes - 1) => {
    const range = sealedRange({ first, last }, bytes);
    return collected(
      openFrames(chunksOf(sealed.subarray(range.first, range.last + 1), 1_000), key, { first, last }, bytes),
    );
  };
  const sealed = (plain: Buffer) => collected(sealFrames(chunksOf(plain, 10_000), key));

  it.each([0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES])('open %d bytes', async (size) => {
    const plain = randomBytes(size);
    const stored = await sealed(plain);
    expect(stored.length).toBe(size + TAG_BYTES * Math.max(1, Math.ceil(size / FRAME_BYTES)));
    expect((await read(stored, size)).equals(plain)).toBe(true);
  });

  it('open a range without the frames before and after it', async () => {
    const plain = randomBytes(3 * FRAME_BYTES + 5);
    const stored = await sealed(plain);
    for (const [first, last] of [
      [0, 0],
      [FRAME_BYTES - 1, FRAME_BYTES],
      [FRAME_BYTES, 2 * FRAME_BYTES - 1],
      [3 * FRAME_BYTES, 3 * FRAME_BYTES + 4],
    ] as const) {
      const damaged = Buffer.from(stored);
      if (last < 2 * FRAME_BYTES) damaged.fill(0, 2 * (FRAME_BYTES + TAG_BYTES));
      if (first >= FRAME_BYTES) damaged.fill(0, 0, FRAME_BYTES + TAG_BYTES);
      expect((await read(damaged, plain.length, first, last)).equals(plain.subarray(first, last + 1))).toBe(true);
    }
  });

  it('do not open if they are changed, exchanged, cut, or continued', async () => {
    const size = 2 * FRAME_BYTES;
    const stored = await sealed(randomBytes(size));
    const half = stored.length / 2;
    const changed = Buffer.from(stored);
    changed[half] = changed[half]! ^ 1;
    const exchanged = Buffer.concat([stored.subarray(half), stored.subarray(0, half)]);
    for (const damaged of [changed, exchanged, stored.subarray(0, -1), stored.subarray(0, half), Buffer.alloc(0)])
      await expect(read(damaged, size)).rejects.toThrow(BytesMissing);
    // A file that was cut at a frame does not look like a complete shorter file.
    await expect(read(stored.subarray(0, half), size / 2)).rejects.toThrow(BytesMissing);
  });

  it('yield no byte of a damaged frame', async () => {
    const plain = randomBytes(2 * FRAME_BYTES);
    const stored = await sealed(plain);
    stored[stored.length - 1] = stored[stored.length - 1]! ^ 1;
    let yielded = 0;
    const reading = async () => {
      for await (const chunk of openFrames(
        chunksOf(stored, 7),
        key,
        { first: 0, last: plain.length - 1 },
        plain.length,
      ))
        yielded += chunk.length;
    };
    await expect(reading()).rejects.toThrow(BytesMissing);
    expect(yielded).toBe(FRAME_BYTES);
  });
});
