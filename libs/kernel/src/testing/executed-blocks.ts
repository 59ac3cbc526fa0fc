import { Session } from 'node:inspector';

/**
 * Counts the blocks of JavaScript that work executes: bodies of functions, loops and branches. Call it once per describe block,
 * before anything else of it runs: what is compiled earlier is counted by function calls only. The count does not depend on the
 * machine or its load, so a limit on it tells linear work from quadratic work. What the engine does inside a regular expression
 * or a built-in function is not counted.
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
    // Taking the counts resets them.
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
