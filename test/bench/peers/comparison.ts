import { aligned, type Figure, number, summary } from '../figures.js';

/** The targets, as multiples of the peer's figure. */
export interface Target {
  /** Name of a figure of both sides. */
  figure: string;
  /** Names of contenders; the best of them counts. */
  of: readonly string[];
  atLeast?: number;
  atMost?: number;
}

/** Ratios of one target by round: a slow machine slows down both sides of a round. */
export interface Comparison extends Target {
  /** The best contender. */
  peer: string;
  median: number;
  min: number;
  max: number;
  reached: boolean;
}

/** Compares `service` with the best peer of each target. A target without figures of both sides is left out. */
export function compare(figures: readonly Figure[], service: string, targets: readonly Target[]): Comparison[] {
  return targets.flatMap((target) => {
    const named = (scenario: string) =>
      figures.find((figure) => figure.scenario === scenario && figure.name === target.figure);
    const ours = named(service);
    const smallerIsBetter = target.atMost !== undefined;
    const [best] = target.of
      .map(named)
      .filter((figure) => figure !== undefined)
      .sort((a, b) => (summary(b.values).median - summary(a.values).median) * (smallerIsBetter ? -1 : 1));
    if (ours === undefined || best === undefined) return [];
    const { atLeast = -Infinity, atMost = Infinity } = target;
    const ratios = ours.values.slice(0, best.values.length).map((value, round) => value / (best.values[round] ?? NaN));
    const all = summary(ratios);
    return [{ ...target, peer: best.scenario, ...all, reached: all.median >= atLeast && all.median <= atMost }];
  });
}

/** The ratios as a table. */
export function comparisonTable(comparisons: readonly Comparison[]): string {
  const lines = comparisons.map(({ figure, peer, median, min, max, atLeast, atMost, reached }) => [
    figure,
    peer,
    `${number(median)} ×`,
    min === max ? '' : `${number(min)} – ${number(max)}`,
    atLeast === undefined ? `at most ${number(atMost ?? NaN)} ×` : `at least ${number(atLeast)} ×`,
    reached ? 'yes' : 'no',
  ]);
  return aligned(['of this service', 'of that of', 'median', 'range', 'target', 'reached'], lines);
}
