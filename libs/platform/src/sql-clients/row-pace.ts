import type { TableRow } from './table-reader.js';

const FIRST = 25;
/** Characters of rows that are read at once. */
const CHARACTERS = 16_000_000;

/** How many rows are read at once: many narrow ones, few wide ones. It begins with few, since nobody knows how wide they are. */
export class RowPace {
  private wanted: number;

  constructor(private readonly most: number) {
    this.wanted = Math.min(FIRST, most);
  }

  /** From 1 to the most. */
  get rows(): number {
    return this.wanted;
  }

  /** The next ones will be about as wide as these. */
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
