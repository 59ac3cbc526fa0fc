/** Runs at the same time: most cases wait for a time limit. */
const PARALLEL = 6;

/** Starts all cases, some at a time. Each test awaits the outcome of its own. */
export function startCases<Outcome>(
  cases: Readonly<Record<string, () => Promise<Outcome>>>,
): Map<string, Promise<Outcome>> {
  const outcomes = new Map<string, Promise<Outcome>>();
  const lanes: Promise<unknown>[] = Array.from({ length: PARALLEL }, () => Promise.resolve());
  Object.entries(cases).forEach(([name, run], n) => {
    const outcome = (lanes[n % PARALLEL] ?? Promise.resolve()).then(run);
    // Its own test reports a rejection.
    lanes[n % PARALLEL] = outcome.catch(() => undefined);
    outcomes.set(name, outcome);
  });
  return outcomes;
}
