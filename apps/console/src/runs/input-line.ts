import { isFileValue } from '../files/file-value.js';

/** Longer lines are cut. No screen shows more characters in a row. */
const MAX_CHARACTERS = 200;

/** Longer inputs are cut before their values are sorted. */
const MAX_VALUES = 50;

/**
 * Returns the input of a run in one line, the shortest values first, for example `order: 4711, note: Broken`. Returns ''
 * for an empty input.
 */
export function inputLine(input: object): string {
  const parts = Object.entries(input)
    .slice(0, MAX_VALUES)
    .map(([name, value]) => `${name}: ${shortText(value)}`);
  return cut(parts.sort((one, other) => one.length - other.length).join(', '));
}

function shortText(value: unknown): string {
  if (isFileValue(value)) return value.filename;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cut(
    text
      .slice(0, 2 * MAX_CHARACTERS)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
