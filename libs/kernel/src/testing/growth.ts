const TIMES = 8;
const ROUNDS = 5;

/**
 * How many times more processor time `work` takes for one input of eight times the size than for eight inputs of that size: 1 for
 * linear work, 8 for quadratic work. A ratio of two sizes depends neither on the machine nor on its load. Use it where the work is
 * done by the engine, which {@link blockCounter} does not see.
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
