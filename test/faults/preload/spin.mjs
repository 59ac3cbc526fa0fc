import { writeSync } from 'node:fs';

/** On SIGUSR2, the program writes `spinning` and blocks its event loop for `SPIN_MS`. */
process.on('SIGUSR2', () => {
  writeSync(1, 'spinning\n');
  const until = performance.now() + Number(process.env.SPIN_MS);
  while (performance.now() < until);
});
