import { parseTimestamp } from '@app/kernel';

/** What `@Transform` hands over: the text of a query parameter, or the texts where it is given more than once. */
interface Given {
  value: unknown;
}

// Each of these leaves what it cannot convert as it is, so that the check after it says what is wrong.

/** Decimal digits as a number. */
export function wholeNumber({ value }: Given): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** `true` and `false` as what they say. */
export function flag({ value }: Given): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** `a,b` and `a` given beside `b` both as `['a', 'b']`. */
export function commaList({ value }: Given): unknown {
  const given = Array.isArray(value) ? value : [value];
  return given.flatMap((text: unknown) => (typeof text === 'string' ? text.split(',') : [text]));
}

/** An RFC 3339 date-time as a Date. */
export function timestamp({ value }: Given): unknown {
  return typeof value === 'string' ? (parseTimestamp(value) ?? value) : value;
}
