import type { Round } from './plan-state.js';

/** Maximum number of rounds that a list offers on each side of the shown round, and of other rounds that did not succeed. */
const MAX_LISTED = 100;

/**
 * Returns the rounds that a list offers, with their statuses: of a long loop, the rounds near the shown one and the
 * first rounds that did not succeed.
 */
export function listedRounds(all: ReadonlyMap<number, Round>, shown: number): readonly [number, string][] {
  const rounds = [...all].map(([round, { status }]): [number, string] => [round, status]);
  const at = rounds.findIndex(([round]) => round === shown);
  const isNear = (index: number): boolean => Math.abs(index - at) <= MAX_LISTED;
  const others = rounds.filter(([, status], index) => status !== 'succeeded' && !isNear(index)).slice(0, MAX_LISTED);
  return rounds.filter((round, index) => isNear(index) || others.includes(round));
}
