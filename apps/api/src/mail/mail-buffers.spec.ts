import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { MailBuffers, type Received } from './mail-buffers.js';

const MIB = 1024 * 1024;

/** A stream whose buffer has the same size in all releases of Node.js. */
function aStream(): SMTPServerDataStream {
  return Object.assign(new PassThrough({ highWaterMark: 16 * 1024 }), { byteLength: 0, sizeExceeded: false });
}

const kept = (received: Received): Promise<Received> => Promise.resolve(received);

describe('the memory of mails that are being received', () => {
  it('gives the bytes of a mail, in whatever pieces it arrived, and is free afterwards', async () => {
    const buffers = new MailBuffers(MIB);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    for (const length of [1_000, 65_536, 65_537, 300_000]) {
      const stream = aStream();
      const received = buffers.receive(stream, async (mail) => {
        expect(buffers.heldBytes).toBeGreaterThanOrEqual(bytes.length);
        return kept(mail);
      });
      for (let at = 0; at < bytes.length; at += length) stream.write(bytes.subarray(at, at + length));
      stream.end();
      expect(await received).toEqual({ kind: 'complete', raw: bytes });
      expect(buffers.heldBytes).toBe(0);
    }
  });

  it('takes no more for a mail that arrives byte by byte', async () => {
    const buffers = new MailBuffers(MIB);
    const stream = aStream();
    const received = buffers.receive(stream, kept);
    const piece = Buffer.alloc(1, 'x');
    let most = 0;
    for (let n = 0; n < 70_000; n += 1) {
      if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve));
      most = Math.max(most, buffers.heldBytes);
    }
    stream.end();
    expect(await received).toMatchObject({ kind: 'complete' });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2 * 64 * 1024);
  });

  it('keeps no more than its limit of all mails together, and takes the next one when there is room again', async () => {
    const buffers = new MailBuffers(MIB);
    const streams = Array.from({ length: 14 }, aStream);
    const outcomes = streams.map((stream) => buffers.receive(stream, kept));
    for (const stream of streams) stream.end(Buffer.alloc(200_000, 'x'));
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'complete').length).toBeLessThanOrEqual(5);
    expect(kinds).toContain('no_room');
    const late = aStream();
    late.end(Buffer.alloc(200_000, 'x'));
    expect(await buffers.receive(late, kept)).toMatchObject({ kind: 'complete' });
    expect(buffers.heldBytes).toBe(0);
  });

  it('keeps nothing of a mail beyond the size of one, nor of one whose client leaves', async () => {
    const buffers = new MailBuffers(MIB);
    const large = aStream();
    const outcome = buffers.receive(large, kept);
    large.write(Buffer.alloc(100_000));
    await new Promise((resolve) => setImmediate(resolve));
    large.sizeExceeded = true;
    large.end(Buffer.alloc(100_000));
    expect(await outcome).toEqual({ kind: 'too_large' });
    const left = aStream();
    const broken = expect(buffers.receive(left, kept)).rejects.toThrow();
    left.write(Buffer.alloc(100_000));
    left.destroy();
    await broken;
    expect(buffers.heldBytes).toBe(0);
  });
});
