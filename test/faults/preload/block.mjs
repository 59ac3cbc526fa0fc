import { writeSync } from 'node:fs';

/**
 * When the program receives SIGUSR2, it prints `blocking` and blocks its event loop for `BLOCK_MS` milliseconds. It
 * sleeps meanwhile, because a loop would take the processor from the other tests.
 */
process.on('SIGUSR2', () => {
  writeSync(1, 'blocking\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.BLOCK_MS));
});
