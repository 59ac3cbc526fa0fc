import { Session } from 'node:inspector';

/**
 * Counts the blocks of JavaScript (bodies of functions, loops and branches) that some work executes. Call it once per
 * describe block, before other code of the block runs: V8 counts only function calls in code that it compiled earlier.
 * The count does not depend on the machine or its load, so a limit on it distinguishes linear from quadratic work. The
 * work of the engine inside regular expressions and built-in functions is not counted.
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
    // Reading the counts resets them.
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
