import { Session } from 'node:inspector';

/**
 * Returns a function that counts the blocks of JavaScript (function bodies, loops and branches) that some work
 * executes. The count does not depend on the machine or its load, so a limit on it distinguishes linear from quadratic
 * work. Work inside regular expressions and built-in functions is not counted.
 *
 * Call `blockCounter` once, at the start of a describe block, before the code under test runs. In code that V8 compiled
 * earlier, it counts only the function calls.
 */
export function blockCounter(): (work: () => void) => number {
  let session: Session;

  beforeAll(() => {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });
  afterAll(() => session.disconnect());

  return (work) => {
    // Reading the counts also resets them, so only the blocks of `work` are counted below.
    session.post('Profiler.takePreciseCoverage');
    work();
    let blocks = 0;
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      const ranges = result.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
      blocks = ranges.reduce((sum, { count }) => sum + count, 0);
    });
    return blocks;
  };
}

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
