import { MAX_CHARACTERS, MAX_COLUMNS } from './sql-limits.js';
import { type TableCell, TableReadError, type TableRow } from './table-reader.js';

type RawRow = Readonly<Record<string, unknown>>;

/** Converts rows to flat values, so that copying them to the service takes time linear in their size. */
export function plainRows(rows: readonly RawRow[], most: number): TableRow[] {
  if (rows.length > most) throw tooMuch(`more than the ${most} rows that were requested`);
  let characters = 0;
  return rows.map((row) => {
    const cells = Object.entries(row);
    if (cells.length > MAX_COLUMNS) throw tooMuch(`more than ${MAX_COLUMNS} columns`);
    const plain = cells.map(([name, value]): [string, TableCell] => [name, plainCell(value)]);
    for (const [name, value] of plain) characters += name.length + lengthOf(value);
    if (characters > MAX_CHARACTERS) throw tooMuch(`more than ${MAX_CHARACTERS / 1024 / 1024} MB in one response`);
    return Object.fromEntries(plain);
  });
}

function tooMuch(what: string): TableReadError {
  return new TableReadError('protocol', `The database sent ${what}.`);
}

function plainCell(value: unknown): TableCell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    case 'object':
      if (value === null || value instanceof Date || value instanceof Uint8Array) return value;
      return JSON.stringify(value);
    default:
      return null;
  }
}

function lengthOf(value: TableCell): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}
