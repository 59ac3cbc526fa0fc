import { escapedText } from './escaped-text.js';

export type Cell = string | number | boolean | null | undefined | object;

export type Column<Row> = readonly [title: string, value: (row: Row) => Cell];

export function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  return escapedText(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

export function columnWidths(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const line of lines) line.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return widths;
}

/** @param most maximum length, for example the width of the terminal; a longer line is cut */
export function tableLine(cells: readonly string[], widths: readonly number[], most = Infinity): string {
  const line = cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ');
  const text = line.trimEnd();
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

export function memberLines(value: object): string[] {
  const members = Object.entries(value) as [string, Cell][];
  const width = Math.max(0, ...members.map(([name]) => name.length));
  return members.map(([name, member]) => `${escapedText(name).padEnd(width)}  ${cellText(member)}`.trimEnd());
}
