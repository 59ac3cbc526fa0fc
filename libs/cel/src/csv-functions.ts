import { Optional } from '@marcbachmann/cel-js';
import { type CsvError, parse } from 'csv-parse/sync';
import { spend, checkLength } from './cel-cost.js';
import { jsonText } from './cel-json.js';
import { engineMap, type EngineMap, fail, type FunctionSpec, isEngineMap, membersOf } from './function-spec.js';

const LINE_END = '\r\n';

interface Options {
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly columns: readonly string[] | undefined;
}

function optionsOf(given: EngineMap | undefined, known: readonly string[]): Options {
  const members = new Map(given ? membersOf(given) : []);
  for (const name of members.keys()) {
    if (!known.includes(name)) {
      fail('has an unknown option', 'failed', `Known options are ${known.map((one) => `\`${one}\``).join(' and ')}.`);
    }
  }
  const { delimiter = ',', header = true, columns } = Object.fromEntries(members);
  if (typeof delimiter !== 'string' || !/^[^"\r\n]$/u.test(delimiter))
    fail('has a delimiter that is not one character');
  if (typeof header !== 'boolean') fail('has a `header` that is neither true nor false', 'type');
  if (columns !== undefined && !isTexts(columns)) fail('has `columns` that are not a list of strings', 'type');
  return { delimiter, hasHeader: header, columns };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function decode(text: string, given?: EngineMap): unknown[] {
  const { delimiter, hasHeader } = optionsOf(given, ['delimiter', 'header']);
  spend(text.length >> 4);
  const rows = rowsOf(text, delimiter);
  for (const row of rows) spend(1 + row.length);
  if (!hasHeader) return rows;
  const [names, ...records] = rows;
  if (!names) return [];
  if (new Set(names).size < names.length) fail('decodes CSV whose header repeats a name');
  return records.map((cells) => {
    if (cells.length > names.length) fail('decodes CSV with a line that has more cells than the header');
    return engineMap(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

function rowsOf(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    return fail(CSV_PROBLEMS[problemOf(error)] ?? 'decodes a string that is not CSV');
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? (error as CsvError).code : '';
}

const CSV_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'decodes CSV with a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'decodes CSV with text after a closing quote',
  INVALID_OPENING_QUOTE: 'decodes CSV with a quote inside a cell that does not begin with a quote',
};

function encode(list: readonly unknown[], given?: EngineMap): string {
  const { delimiter, columns } = optionsOf(given, ['delimiter', 'columns']);
  const lines: string[] = [];
  let length = 0;
  const add = (cells: readonly unknown[]): void => {
    const line = cells.map((cell) => cellText(cell, delimiter)).join(delimiter);
    // Readers skip an empty line, so a line with a single empty cell needs quotes.
    lines.push(line === '' && cells.length === 1 ? '""' : line);
    length += line.length + LINE_END.length;
    spend(1 + cells.length);
    checkLength(length);
  };
  const objects = list.filter(isEngineMap);
  if (objects.length === list.length && list.length + (columns?.length ?? 0) > 0) {
    const names = columns ?? [...new Set(objects.flatMap((object) => membersOf(object).map(([name]) => name)))];
    add(names);
    for (const object of objects) {
      const members = new Map(membersOf(object));
      add(names.map((name) => members.get(name) ?? null));
    }
  } else {
    if (columns) add(columns);
    for (const item of list) add(Array.isArray(item) ? item : fail(MIXED_LINES, 'type'));
  }
  return lines.map((line) => line + LINE_END).join('');
}

const MIXED_LINES = 'needs a list of objects, or a list of lists';

function cellText(cell: unknown, delimiter: string): string {
  const value: unknown = cell instanceof Optional ? cell.orValue(null) : cell;
  const text = typeof value === 'string' ? value : value === null ? '' : plainText(value);
  spend(text.length >> 6);
  const isPlain = !text.includes(delimiter) && !/["\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

/** Lists and objects become JSON. */
function plainText(value: unknown): string {
  return jsonText(value).replace(/^"(.*)"$/s, '$1');
}

export const CSV_FUNCTIONS: readonly FunctionSpec[] = [
  ['csv.decode(string): list', (text: string): unknown[] => decode(text)],
  ['csv.decode(string, map): list', decode],
  ['csv.encode(list): string', (list: readonly unknown[]): string => encode(list)],
  ['csv.encode(list, map): string', encode],
];
