import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createLogger } from '@app/platform/observability';
import { createFileStorage, HeldContentsService } from '@app/files';
import type { SMTPServerDataStream } from 'smtp-server';
import { IncomingMails, type Received } from './incoming-mails.js';

const MIB = 1024 * 1024;

/** A stream whose buffer has the same size in all releases of Node.js. */
function aStream(): SMTPServerDataStream {
  return Object.assign(new PassThrough({ highWaterMark: 16 * 1024 }), { byteLength: 0, sizeExceeded: false });
}

/** Reads the mail twice, because each agent that gets it reads it. */
async function kept(received: Received): Promise<{ kind: Received['kind']; raw?: Buffer }> {
  if (received.kind !== 'complete') return received;
  const reads = [await bytesOf(received.content.read()), await bytesOf(received.content.read())];
  // `toEqual` compares the bytes one by one, which takes seconds.
  expect(reads[1]!.equals(reads[0]!)).toBe(true);
  return { kind: 'complete', raw: reads[0]! };
}

async function bytesOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('mails that are being received', () => {
  let directory: string;
  let contents: HeldContentsService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'aas-mails-'));
    contents = new HeldContentsService(
      createFileStorage(directory, undefined),
      createLogger({ level: 'silent', format: 'json', name: 'test' }),
    );
  });
  afterEach(async () => expect(await readdir(join(directory, 'files'))).toEqual([]));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('gives the bytes of a mail, in whatever pieces it arrived, and is free afterwards', async () => {
    const mails = new IncomingMails(contents, MIB);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    for (const length of [1_000, 65_536, 65_537, 300_000]) {
      const stream = aStream();
      const received = mails.receive(stream, async (mail) => {
        expect(mails.heldBytes).toBeGreaterThanOrEqual(bytes.length);
        return kept(mail);
      });
      for (let at = 0; at < bytes.length; at += length) stream.write(bytes.subarray(at, at + length));
      stream.end();
      expect((await received).raw?.equals(bytes)).toBe(true);
      expect(mails.heldBytes).toBe(0);
    }
  });

  it('is in memory as one window if it arrives byte by byte', async () => {
    const mails = new IncomingMails(contents, MIB);
    const stream = aStream();
    const received = mails.receive(stream, async (mail) => {
      expect(await readdir(join(directory, 'files'))).toEqual([]);
      return kept(mail);
    });
    const piece = Buffer.alloc(1, 'x');
    for (let n = 0; n < 60_000; n += 1) {
      if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.end();
    expect((await received).raw?.equals(Buffer.alloc(60_000, 'x'))).toBe(true);
  });

  it('keeps no more than its limit of all mails together, and takes the next one when there is room again', async () => {
    const mails = new IncomingMails(contents, MIB);
    const streams = Array.from({ length: 14 }, aStream);
    const outcomes = streams.map((stream) => mails.receive(stream, kept));
    for (const stream of streams) stream.end(Buffer.alloc(200_000, 'x'));
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'complete').length).toBeLessThanOrEqual(5);
    expect(kinds).toContain('no_room');
    const late = aStream();
    late.end(Buffer.alloc(200_000, 'x'));
    expect(await mails.receive(late, kept)).toMatchObject({ kind: 'complete' });
    expect(mails.heldBytes).toBe(0);
  });

  it('keeps nothing of a mail beyond the size of one, nor of one whose client leaves', async () => {
    const mails = new IncomingMails(contents, MIB);
    const large = aStream();
    const outcome = mails.receive(large, kept);
    large.write(Buffer.alloc(100_000));
    await new Promise((resolve) => setImmediate(resolve));
    large.sizeExceeded = true;
    large.end(Buffer.alloc(100_000));
    expect(await outcome).toEqual({ kind: 'too_large' });
    const left = aStream();
    const broken = expect(mails.receive(left, kept)).rejects.toThrow();
    left.write(Buffer.alloc(100_000));
    left.destroy();
    await broken;
    expect(mails.heldBytes).toBe(0);
  });
});
