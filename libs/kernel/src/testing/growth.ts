const TIMES = 8;
const ROUNDS = 5;

/**
 * Measures how the CPU time of `work` grows with its input. Returns the time for one input of eight times `size`,
 * divided by the time for eight inputs of `size`. The result is about 1 for linear work and 8 for quadratic work. It
 * does not depend on the machine or its load. Use it for regular expressions and built-in functions, whose work
 * {@link blockCounter} does not count.
 */
export function growthOf(work: (size: number) => void, size: number): number {
  const few = (): void => {
    for (let n = 0; n < TIMES; n++) work(size);
  };
  const large = (): void => work(TIMES * size);
  few();
  large();
  let [fewest, least] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    fewest = Math.min(fewest, cpuMicros(few));
    least = Math.min(least, cpuMicros(large));
  }
  return least / fewest;
}

function cpuMicros(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
