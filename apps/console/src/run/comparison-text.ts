import type { Run } from '../data/api.js';
import { formatDuration, formatMoney } from '../ui/format-values.js';
import { canonical } from './trace-comparison.js';

/** Returns the titles of two compared runs. `after` is the run that the page shows. */
export function comparedTitles(
  before: Pick<Run, 'id' | 'replay_of'> | undefined,
  after: Pick<Run, 'id' | 'replay_of'>,
): [before: string, after: string] {
  if (before !== undefined && after.replay_of === before.id) return ['Original', 'Replay'];
  return before?.replay_of === after.id ? ['Replay', 'Original'] : ['Other run', 'This run'];
}

interface Result extends Pick<Run, 'ended_at' | 'duration_ms' | 'cost'> {
  error: unknown;
  output: unknown;
}

export function resultOf({ error, output }: Pick<Result, 'error' | 'output'>): unknown {
  return error ?? output;
}

/** A run that has not ended has no result, so it differs from no other. */
export function isDifferentResult(before: Result, after: Result): boolean {
  if (before.ended_at === null || after.ended_at === null) return false;
  return canonical(resultOf(before)) !== canonical(resultOf(after));
}

/** Describes in one line how the run `after` differs from the run `before`. */
export function differenceSummary(before: Result, after: Result, steps: { all: number; different: number }): string {
  const count = steps.different === 0 ? 'no step differs' : `${steps.different} of ${steps.all} steps differ`;
  if (before.ended_at === null || after.ended_at === null)
    return `A run that has not ended has no result to compare yet; ${count}.`;
  const parts = [
    isDifferentResult(before, after) ? 'The output differs' : 'The outputs are equal',
    count,
    timeDifference(before.duration_ms ?? 0, after.duration_ms ?? 0),
    ...costDifference(before.cost, after.cost),
  ];
  return `${parts.join(', ')}.`;
}

function timeDifference(before: number, after: number): string {
  if (before === after) return 'equally fast';
  return `${formatDuration(Math.abs(after - before))} ${after > before ? 'slower' : 'faster'}`;
}

/** Costs in two currencies, or of calls with unknown price, have no difference. */
function costDifference(before: Run['cost'], after: Run['cost']): string[] {
  if (before.currency !== after.currency || before.partial === true || after.partial === true) return [];
  const difference = Number(after.amount) - Number(before.amount);
  if (Math.abs(difference) < SMALLEST_COST) return ['same cost'];
  const amount = String(Math.abs(difference));
  return [`${difference > 0 ? '+' : '−'}${formatMoney({ amount, currency: after.currency })}`];
}

/** Costs are counted in millionths of a currency unit. A smaller difference is a rounding error. */
const SMALLEST_COST = 5e-7;
