import { parseExactJson } from '@app/kernel';
import type { JsonValue } from '@app/kernel';
import pg from 'pg';
import { floatValue, integerValue } from './sql-call.js';

export type ValueReader = (text: string) => JsonValue;

const SCALARS: Readonly<Record<number, ValueReader>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex').toString('base64'),
  20: integerValue,
  21: integerValue,
  23: integerValue,
  114: parseExactJson,
  700: floatValue,
  701: floatValue,
  1184: timestampValue,
  3802: parseExactJson,
};

/** Other array types are looked up in `pg_type`. */
const ARRAYS: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1_042,
  1015: 1_043,
  1016: 20,
  1021: 700,
  1022: 701,
  1185: 1_184,
  1231: 1_700,
  2951: 2_950,
  3807: 3_802,
};

/** The parser for arrays. Its type declaration in `pg` is wrong, so the parser is cast to its actual type. */
const ARRAY_PARSER = pg.types.arrayParser as object as {
  create(text: string, element: (text: string | null) => JsonValue): { parse(): JsonValue[] };
};
/** Postgres separates the elements of this array type by semicolons instead of commas. */
const ARRAY_OF_BOXES = 1_020;

export function readerOf(oid: number, elements: ReadonlyMap<number, number>): ValueReader {
  const element = ARRAYS[oid] ?? (oid === ARRAY_OF_BOXES ? undefined : elements.get(oid));
  if (element !== undefined) return arrayReader(SCALARS[element] ?? plain);
  return SCALARS[oid] ?? plain;
}

export function isUnknownType(oid: number): boolean {
  return SCALARS[oid] === undefined && ARRAYS[oid] === undefined;
}

function plain(text: string): JsonValue {
  return text;
}

function arrayReader(element: ValueReader): ValueReader {
  const read = (text: string | null): JsonValue => (text === null ? null : element(text));
  return (text) => ARRAY_PARSER.create(text, read).parse();
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?([+-])(\d{2})(?::(\d{2}))?(?::(\d{2}))?$/;

/** A value without such a form, for example `infinity`, is returned unchanged. */
function timestampValue(text: string): JsonValue {
  const match = TIMESTAMP.exec(text);
  if (!match) return text;
  const [, date = '', time = '', fraction = '', sign, hours, minutes = '0', seconds = '0'] = match;
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  const instant = new Date(Date.parse(`${date}T${time}Z`) - offset * 1_000);
  return `${instant.toISOString().slice(0, 19)}${fraction}Z`;
}
