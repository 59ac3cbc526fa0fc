import type { TableRow } from './table-reader.js';

const FIRST = 25;
const CHARACTERS = 16_000_000;

/** The first batch is small, because the width is not known yet. */
export class RowPace {
  private wanted: number;

  constructor(private readonly most: number) {
    this.wanted = Math.min(FIRST, most);
  }

  get rows(): number {
    return this.wanted;
  }

  observeRows(rows: readonly TableRow[]): void {
    if (rows.length === 0) return;
    const width = Math.max(1, rows.reduce((sum, row) => sum + widthOf(row), 0) / rows.length);
    this.wanted = Math.max(1, Math.min(this.most, 2 * this.wanted, Math.floor(CHARACTERS / width)));
  }
}

function widthOf(row: TableRow): number {
  return Object.values(row).reduce<number>((sum, value) => sum + lengthOf(value), 0);
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
