import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { BackgroundWriter } from './background-writer.js';

describe('the background writer', () => {
  let directory: string;
  let reader: number;
  let writer: number;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'background-writer-'));
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    received = [];
    writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  });

  afterEach(() => {
    closeSync(writer);
    if (reader >= 0) closeSync(reader);
    rmSync(directory, { recursive: true });
  });

  let received: Buffer[];

  function read(): string {
    const chunk = Buffer.alloc(1024 * 1024);
    try {
      for (let size = readSync(reader, chunk); size > 0; size = readSync(reader, chunk)) {
        received.push(Buffer.from(chunk.subarray(0, size)));
      }
    } catch {
      // EAGAIN means that the pipe is empty at the moment.
    }
    return Buffer.concat(received).toString();
  }

  it('writes every line in order, also when the reader is slow', async () => {
    const output = new BackgroundWriter(writer);
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ä\n`);
    for (const line of lines) output.write(line);
    await eventually(() => expect(read().length).toBe(lines.join('').length));
    expect(read() === lines.join('')).toBe(true);
  });

  it('drops lines beyond its limit and reports how many', async () => {
    const output = new BackgroundWriter(writer, { maxWaiting: 100_000, flushMillis: 10 });
    const line = `${'x'.repeat(999)}\n`;
    for (let index = 0; index < 500; index++) output.write(line);
    const dropped = await eventually(() => {
      const notice = /"(\d+) log lines dropped"/.exec(read());
      expect(notice).not.toBeNull();
      return Number(notice?.[1]);
    });
    expect(dropped).toBeGreaterThan(0);
    expect(read().match(/x{999}\n/g)).toHaveLength(500 - dropped);
  });

  it('flushes buffered lines at once', () => {
    const output = new BackgroundWriter(writer);
    output.write('first\n');
    output.write('second\n');
    output.flushSync();
    expect(read()).toContain('second\n');
  });

  it('gives up flushing to a reader that does not read', () => {
    const output = new BackgroundWriter(writer, { maxWaiting: 10_000_000, flushMillis: 50 });
    for (let index = 0; index < 1_000; index++) output.write('x'.repeat(1_000));
    // `flushSync` returns although the reader does not read from the pipe.
    output.flushSync();
    expect(output.flushSync()).toBeUndefined();
  });

  it('writes nothing after the reader has closed the pipe, and can still be flushed', async () => {
    const output = new BackgroundWriter(writer);
    closeSync(reader);
    reader = -1;
    for (let round = 0; round < 3; round++) {
      output.write('lost\n');
      output.write('lost as well\n');
      output.flushSync();
      await new Promise(setImmediate);
    }
    expect(output.flushSync()).toBeUndefined();
  });
});
