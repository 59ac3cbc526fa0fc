import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** What a parser that an attacker has taken over would do. */
type Forbidden = 'read-file' | 'write-file' | 'start-process' | 'start-thread' | 'load-addon';

/** A request to a test program for a process pool. The program behaves like a parser that reads hostile data. */
export interface GreedyRequest {
  does:
    | 'echo'
    | 'loop'
    | 'fill-heap'
    | 'fill-buffers'
    | 'throw'
    | 'exit'
    | 'throw-later'
    | 'wait'
    | 'environment'
    | Forbidden;
  bytes?: Uint8Array;
  /** Path of a file to which `wait` appends its process id, or that `read-file` and `write-file` use. */
  note?: string;
}

export async function handle({ does, bytes, note }: GreedyRequest): Promise<unknown> {
  const kept: unknown[] = [];
  switch (does) {
    case 'echo':
      return { bytes, pid: process.pid };
    case 'environment':
      return Object.keys(process.env);
    case 'read-file':
      return readFileSync(note ?? '', 'utf8');
    case 'write-file':
      return writeFileSync(note ?? '', 'x');
    case 'start-process':
      return execFileSync('/bin/true');
    case 'start-thread':
      return new Worker('', { eval: true }).terminate();
    case 'load-addon':
      return process.dlopen({ exports: {} }, note ?? '');
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
