/** Number of concurrent cases. The cases use little CPU time, because most of them wait for a time limit. */
const PARALLEL = 6;

/** Starts all cases with limited concurrency. Each test awaits the outcome of its own case. */
export function startCases<Outcome>(
  cases: Readonly<Record<string, () => Promise<Outcome>>>,
): Map<string, Promise<Outcome>> {
  const outcomes = new Map<string, Promise<Outcome>>();
  const lanes: Promise<unknown>[] = Array.from({ length: PARALLEL }, () => Promise.resolve());
  Object.entries(cases).forEach(([name, run], n) => {
    const outcome = (lanes[n % PARALLEL] ?? Promise.resolve()).then(run);
    // A rejection does not stop the next case. The test of the rejected case reports it.
    lanes[n % PARALLEL] = outcome.catch(() => undefined);
    outcomes.set(name, outcome);
  });
  return outcomes;
}
