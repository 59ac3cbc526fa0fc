import { writeSync } from 'node:fs';

/** When the program receives SIGUSR2, it prints `spinning` and blocks its event loop for `SPIN_MS` milliseconds. */
process.on('SIGUSR2', () => {
  writeSync(1, 'spinning\n');
  const until = performance.now() + Number(process.env.SPIN_MS);
  while (performance.now() < until);
});
