import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type ByteRange, BytesMissing } from './file-storage.js';

/**
 * Bytes of a file are sealed in frames, so that a range can be read without the bytes before it. Each file has its own
 * random key, so the nonce of a frame is its number and a mark of the last frame: a frame that is moved, repeated or
 * left out does not open, and neither does a file that ends too early.
 */
export const FRAME_BYTES = 64 * 1024;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const SEALED_FRAME_BYTES = FRAME_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';

export function newFileKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Seals the bytes. Holds one frame in memory. An empty file has one empty frame. */
export async function* sealFrames(plain: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  const frame = Buffer.allocUnsafe(FRAME_BYTES);
  let filled = 0;
  let number = 0;
  for await (const chunk of plain) {
    for (let at = 0; at < chunk.length;) {
      // Whether a frame is the last one is known only when another byte arrives.
      if (filled === FRAME_BYTES) {
        yield* sealFrame(frame, key, number++, false);
        filled = 0;
      }
      const copied = chunk.copy(frame, filled, at);
      filled += copied;
      at += copied;
    }
  }
  yield* sealFrame(frame.subarray(0, filled), key, number, true);
}

export function sealedSize(bytes: number): number {
  return bytes + frameCount(bytes) * TAG_BYTES;
}

export function sealedRange({ first, last }: ByteRange, bytes: number): ByteRange {
  const afterLast = (Math.floor(Math.max(0, last) / FRAME_BYTES) + 1) * SEALED_FRAME_BYTES;
  return {
    first: Math.floor(first / FRAME_BYTES) * SEALED_FRAME_BYTES,
    last: Math.min(sealedSize(bytes), afterLast) - 1,
  };
}

/**
 * For an empty file, `last` is -1, and the empty frame is checked.
 * @throws BytesMissing if a frame is missing or damaged. No byte of this frame is yielded.
 */
export async function* openFrames(
  sealed: AsyncIterable<Buffer>,
  key: Buffer,
  { first, last }: ByteRange,
  bytes: number,
): AsyncGenerator<Buffer> {
  const lastOfFile = frameCount(bytes) - 1;
  const lastWanted = Math.max(0, Math.floor(last / FRAME_BYTES));
  let number = Math.floor(first / FRAME_BYTES);
  for await (const frame of sealedFrames(sealed)) {
    const plain = openFrame(frame, key, number, number === lastOfFile);
    const begin = number * FRAME_BYTES;
    const wanted = plain.subarray(Math.max(0, first - begin), Math.max(0, last - begin + 1));
    if (wanted.length > 0) yield wanted;
    number++;
  }
  if (number <= lastWanted) throw new BytesMissing('The stored bytes end too early.');
}

function frameCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / FRAME_BYTES));
}

async function* sealedFrames(sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let frame = Buffer.allocUnsafe(SEALED_FRAME_BYTES);
  let filled = 0;
  for await (const chunk of sealed) {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(frame, filled, at);
      filled += copied;
      at += copied;
      if (filled < SEALED_FRAME_BYTES) continue;
      yield frame;
      frame = Buffer.allocUnsafe(SEALED_FRAME_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield frame.subarray(0, filled);
}

function sealFrame(plain: Buffer, key: Buffer, number: number, isLast: boolean): Buffer[] {
  const cipher = createCipheriv(CIPHER, key, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
  return [cipher.update(plain), Buffer.concat([cipher.final(), cipher.getAuthTag()])];
}

function openFrame(sealed: Buffer, key: Buffer, number: number, isLast: boolean): Buffer {
  if (sealed.length < TAG_BYTES) throw new BytesMissing('A stored frame is incomplete.');
  const decipher = createDecipheriv(CIPHER, key, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new BytesMissing(`The stored frame ${number} is damaged.`, { cause });
  }
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}
