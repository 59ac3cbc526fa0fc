/** A measured figure. `values` contains one value per repetition, in order. */
export interface Figure {
  scenario: string;
  /** Store of the queue, `postgres` or `redis`. Null if the figure does not depend on it. */
  queue: string | null;
  name: string;
  unit: string;
  values: number[];
  /**
   * The value with which the figure is compared: a limit, or an upper bound that was measured in the same benchmark.
   * `share` is the median of the figure divided by `value`.
   */
  ceiling?: { name: string; value: number; share: number };
}

export interface Summary {
  median: number;
  min: number;
  max: number;
}

export class Figures {
  readonly all: Figure[] = [];

  add(scenario: string, queue: string | null, name: string, unit: string, value: number): void {
    const known = this.all.find((each) => each.scenario === scenario && each.queue === queue && each.name === name);
    if (known) known.values.push(value);
    else this.all.push({ scenario, queue, name, unit, values: [value] });
  }

  limit(scenario: string, name: string, value: number): void {
    for (const figure of this.all.filter((each) => each.scenario === scenario && each.name === name))
      figure.ceiling = { name: 'limit', value, share: summary(figure.values).median / value };
  }

  /**
   * Compares the figures with this scenario and name with an upper bound, which is the median of the figure
   * `ceilingName` of `ceilingScenario`. Does nothing if this benchmark has not measured the upper bound.
   */
  compare(scenario: string, name: string, ceilingScenario: string, ceilingName: string): void {
    const ceiling = this.all.find((each) => each.scenario === ceilingScenario && each.name === ceilingName);
    if (!ceiling) return;
    const value = summary(ceiling.values).median;
    for (const figure of this.all.filter((each) => each.scenario === scenario && each.name === name))
      figure.ceiling = {
        name: `${ceilingScenario}: ${ceilingName}`,
        value,
        share: summary(figure.values).median / value,
      };
  }
}

export function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/** Returns the nearest-rank quantile of the values. `sorted` must be in ascending order. `share` is from 0 to 1. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export function table(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => {
    const { median, min, max } = summary(figure.values);
    const range = figure.values.length > 1 ? `${number(min)} – ${number(max)}` : '';
    const share = figure.ceiling
      ? `${Math.round(figure.ceiling.share * 100)} % of ${number(figure.ceiling.value)}`
      : '';
    return [figure.scenario, figure.queue ?? '', figure.name, `${number(median)} ${figure.unit}`, range, share];
  });
  return aligned(['scenario', 'queue', 'figure', 'median', 'range', 'of its ceiling or limit'], lines);
}

/** Formats a table. Each column is as wide as its widest cell. */
export function aligned(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const padded = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [padded(head), padded(widths.map((width) => '-'.repeat(width))), ...lines.map(padded)].join('\n');
}

export function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
  return String(Math.round(value * 100) / 100);
}
