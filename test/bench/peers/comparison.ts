import { aligned, type Figure, number, summary } from '../figures.js';

export interface Target {
  figure: string;
  /** Names of the peers. This service is compared with the best of them. */
  of: readonly string[];
  atLeast?: number;
  atMost?: number;
}

/**
 * The result for one target. The ratio is computed within each round, because other load on the machine then affects
 * both systems.
 */
export interface Comparison extends Target {
  peer: string;
  median: number;
  min: number;
  max: number;
  reached: boolean;
}

/**
 * Compares the contender `service` with the best peer of each target. Omits a target if the figure of `service` or of
 * all peers is missing.
 */
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
