import { appendFileSync } from 'node:fs';

/** A request to a test program for a process pool. The program behaves like a parser that reads hostile data. */
export interface GreedyRequest {
  does: 'echo' | 'loop' | 'fill-heap' | 'fill-buffers' | 'throw' | 'exit' | 'throw-later' | 'wait' | 'environment';
  bytes?: Uint8Array;
  /** Path of a file to which `wait` appends its process id. */
  note?: string;
}

export async function handle({ does, bytes, note }: GreedyRequest): Promise<unknown> {
  const kept: unknown[] = [];
  switch (does) {
    case 'echo':
      return { bytes, pid: process.pid };
    case 'environment':
      return Object.keys(process.env);
    case 'loop':
      for (;;) kept[0] = does;
    case 'fill-heap':
      for (;;) kept.push([kept.length, String(kept.length)]);
    case 'fill-buffers':
      for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
    case 'throw':
      throw Object.assign(new TypeError('unfit'), { code: 'EUNFIT' });
    case 'exit':
      return process.exit(3);
    case 'throw-later':
      setImmediate(() => {
        throw new Error('uncaught');
      });
      return new Promise(() => undefined);
    case 'wait':
      if (note !== undefined) appendFileSync(note, `${process.pid}\n`);
      return new Promise(() => setInterval(() => undefined, 1_000));
  }
}
