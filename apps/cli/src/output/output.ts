import { styleText } from 'node:util';
import { escapedJson, escapedText, hasControls } from './escaped-text.js';

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Number of rows of a table that are printed together. These first rows determine the widths of the columns. Later rows
 * are printed as they arrive.
 */
const MEASURED_ROWS = 100;

export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, done: () => void): boolean;
}

export interface OutputOptions {
  format: Format;
  isQuiet: boolean;
  isColored: boolean;
}

export type Cell = string | number | boolean | null | undefined | object;

export type Column<Row> = readonly [title: string, value: (row: Row) => Cell];

export interface View<Row> {
  columns: readonly Column<Row>[];
  /** Returns what `-o name` prints: the name or id that other commands accept. */
  nameOf: (row: Row) => Cell;
}

/** Writes data to standard output and messages to standard error. */
export class Output {
  constructor(
    private readonly stdout: Sink,
    private readonly stderr: Sink,
    readonly options: OutputOptions = { format: 'table', isQuiet: false, isColored: false },
  ) {}

  /** Prints a message to standard error, unless `--quiet` is set. */
  words(line: string): void {
    if (!this.options.isQuiet) this.report(line);
  }

  /** Prints a message to standard error, even with `--quiet`. */
  report(line: string): void {
    this.stderr.write(`${line.split('\n').map(escapedText).join('\n')}\n`, () => undefined);
  }

  async object(value: object, nameOf: Cell): Promise<void> {
    await this.print(await this.objectText(value, nameOf));
  }

  /** Prints text as it is to standard output. Adds a line break if the text does not end with one. */
  print(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (text === '') resolve();
      else this.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve());
    });
  }

  /**
   * Prints one object of a stream: as a line of JSON, as a YAML document, or as its name only, depending on the format.
   * In the format `table`, prints `line`.
   */
  async streamed(value: object, line: string, nameOf: Cell = line): Promise<void> {
    const { format } = this.options;
    if (format === 'json') return this.print(escapedJson(JSON.stringify(value)));
    if (format === 'yaml') return this.print(`---\n${await yamlText(value)}`);
    return this.print(format === 'name' ? cellText(nameOf) : escapedText(line));
  }

  /** Prints the rows of a list as they arrive. In the format `table`, the first rows are printed together. */
  async list<Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row>): Promise<void> {
    switch (this.options.format) {
      case 'json':
        return this.jsonList(rows);
      case 'yaml':
        return this.yamlList(rows);
      case 'name':
        for await (const row of rows) await this.print(cellText(view.nameOf(row)));
        return;
      case 'table':
        return this.tableList(rows, view);
    }
  }

  private async objectText(value: object, nameOf: Cell): Promise<string> {
    switch (this.options.format) {
      case 'json':
        return escapedJson(JSON.stringify(value, null, 2));
      case 'yaml':
        return yamlText(value);
      case 'name':
        return cellText(nameOf);
      case 'table':
        return memberLines(value).join('\n');
    }
  }

  private async jsonList(rows: AsyncIterable<object> | Iterable<object>): Promise<void> {
    let before = '[';
    for await (const row of rows) {
      await this.print(`${before}${escapedJson(JSON.stringify(row))}`);
      before = ',';
    }
    await this.print(before === '[' ? '[]' : ']');
  }

  private async yamlList(rows: AsyncIterable<object> | Iterable<object>): Promise<void> {
    let isEmpty = true;
    for await (const row of rows) {
      isEmpty = false;
      await this.print(await yamlText([row]));
    }
    if (isEmpty) await this.print('[]');
  }

  private async tableList<Row>(rows: AsyncIterable<Row> | Iterable<Row>, { columns }: View<Row>): Promise<void> {
    const waiting = [columns.map(([title]) => title)];
    let widths: number[] | undefined;
    for await (const row of rows) {
      const cells = columns.map(([, value]) => cellText(value(row)));
      if (widths) await this.tableRow(cells, widths);
      else if (waiting.push(cells) > MEASURED_ROWS) widths = await this.measuredRows(waiting);
    }
    if (!widths && waiting.length > 1) await this.measuredRows(waiting);
  }

  private async measuredRows([titles = [], ...rows]: string[][]): Promise<number[]> {
    const widths = columnWidths([titles, ...rows]);
    await this.tableRow(titles, widths, true);
    for (const cells of rows) await this.tableRow(cells, widths);
    return widths;
  }

  private async tableRow(cells: readonly string[], widths: readonly number[], isTitle = false): Promise<void> {
    const line = tableLine(cells, widths, this.stdout.isTTY ? this.stdout.columns : undefined);
    await this.print(isTitle && this.options.isColored ? styleText('bold', line) : line);
  }
}

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  return escapedText(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function columnWidths(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const line of lines) line.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return widths;
}

/** @param most maximum length, for example the width of the terminal; a longer line is cut */
function tableLine(cells: readonly string[], widths: readonly number[], most = Infinity): string {
  const line = cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ');
  const text = line.trimEnd();
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

export function memberLines(value: object): string[] {
  const members = Object.entries(value) as [string, Cell][];
  const width = Math.max(0, ...members.map(([name]) => name.length));
  return members.map(([name, member]) => `${escapedText(name).padEnd(width)}  ${cellText(member)}`.trimEnd());
}

/**
 * Converts the value to YAML. If it contains control characters, all strings are quoted, so that these characters
 * become escapes.
 */
export async function yamlText(value: unknown): Promise<string> {
  // The YAML library is loaded only here, because loading it takes as long as loading the rest of the CLI.
  const { stringify } = await import('yaml');
  const plain = stringify(value, { lineWidth: 0 });
  if (!hasControls(JSON.stringify(value)) && !hasControls(plain)) return plain;
  const quoted = stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' });
  return escapedJson(quoted);
}
