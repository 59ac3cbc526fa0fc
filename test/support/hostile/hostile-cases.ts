/** Number of cases that run at the same time. They use little CPU time, because most of them wait for a time limit. */
const PARALLEL = 6;

/** Starts all cases, at most six at a time. Each test awaits the outcome of its own case. */
export function startCases<Outcome>(
  cases: Readonly<Record<string, () => Promise<Outcome>>>,
): Map<string, Promise<Outcome>> {
  const outcomes = new Map<string, Promise<Outcome>>();
  const lanes: Promise<unknown>[] = Array.from({ length: PARALLEL }, () => Promise.resolve());
  Object.entries(cases).forEach(([name, run], n) => {
    const outcome = (lanes[n % PARALLEL] ?? Promise.resolve()).then(run);
    // The test of the failed case reports its error. The next case must start nevertheless.
    lanes[n % PARALLEL] = outcome.catch(() => undefined);
    outcomes.set(name, outcome);
  });
  return outcomes;
}
