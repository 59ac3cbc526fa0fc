/** On SIGUSR2 the program computes for `SPIN_MS` without a break: its event loop stands still. */
process.on('SIGUSR2', () => {
  const until = performance.now() + Number(process.env.SPIN_MS);
  while (performance.now() < until);
});
