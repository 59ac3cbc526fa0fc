import { shownTimeZone } from './time-zone.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns the count, or `99+` for a larger one, so that a badge stays small. */
export function upTo99(count: number): string {
  return count > 99 ? '99+' : String(count);
}

/** Returns a text such as `640 ms`, `3.2 s`, `4 min 10 s`, `14 h 5 min` or `3 d 2 h`. */
export function formatDuration(millis: number): string {
  if (millis < SECOND) return `${Math.round(millis)} ms`;
  if (millis < MINUTE) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`;
  if (millis < HOUR) return twoUnits(millis, [MINUTE, 'min'], [SECOND, 's']);
  if (millis < DAY) return twoUnits(millis, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(millis, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [millis: number, name: string];

function twoUnits(millis: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((millis % large) / small);
  return `${Math.floor(millis / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** Returns a text such as `just now`, `5 min ago` or `in 2 h`. A time more than a week away becomes a date. */
export function formatRelative(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  const size = Math.abs(distance);
  if (size < 45 * SECOND) return distance > 5 * SECOND ? 'in less than a minute' : 'just now';
  if (size > 7 * DAY) return formatDay(time);
  const [unit, name] = size < 59.5 * MINUTE ? [MINUTE, 'min'] : size < 47.5 * HOUR ? [HOUR, 'h'] : [DAY, 'd'];
  const text = `${Math.round(size / unit)} ${name}`;
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();

/** Keeps each format, because to create one takes as long as to format dozens of values. */
function formatDate(time: string | number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(undefined, options);
  dateFormats.set(key, format);
  return format.format(new Date(time));
}

function formatNumber(value: number, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options);
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(undefined, options);
  numberFormats.set(key, format);
  return format.format(value);
}

export function formatDay(time: string): string {
  return formatDate(time, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Formats a day in UTC, because the statistics count by UTC day. */
export function formatUtcDay(day: string): string {
  return formatDate(day, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
}

/** Formats a day in UTC without the year, for the axis of a chart. */
export function formatShortDay(time: string): string {
  return formatDate(time, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** Formats a day with its weekday, in the local zone, or in UTC if the person prefers it. */
export function formatLongDay(time: string): string {
  const zone = shownTimeZone() === 'UTC' ? { timeZone: 'UTC' } : {};
  return formatDate(time, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', ...zone });
}

/** Formats the time of day, in the local zone, or in UTC if the person prefers it. `time` is in milliseconds since 1970. */
export function formatClock(time: number): string {
  const zone = shownTimeZone() === 'UTC' ? { timeZone: 'UTC' } : {};
  return formatDate(time, { timeStyle: 'short', ...zone });
}

/** Formats a time with the name of its zone: the local zone, or UTC if the person prefers it. */
export function formatInstant(time: string): string {
  const zone = shownTimeZone() === 'UTC' ? { timeZone: 'UTC' } : {};
  return formatDate(time, { dateStyle: 'medium', timeStyle: 'long', ...zone });
}

export interface Money {
  amount: string;
  currency: string;
  partial?: boolean;
}

/**
 * Formats an amount of money. An amount below 1 has two significant digits. The sign `≥` marks a sum that excludes
 * calls of unknown price.
 */
export function formatMoney({ amount, currency, partial }: Money): string {
  const value = Number(amount);
  const text = formatNumber(value, {
    style: 'currency',
    currency,
    ...(value !== 0 && Math.abs(value) < 1 && { minimumSignificantDigits: 2, maximumSignificantDigits: 2 }),
  });
  return partial === true ? `≥ ${text}` : text;
}

/** Returns a text such as `812 B`, `4.1 KiB` or `12 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1_024 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** Returns the share as a percentage. The share of nothing is 0%. */
export function formatShare(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))}%`;
}

/** Returns the share of `whole`, which is not 0, with at most one decimal. Only no and every part are 0% and 100%. */
export function formatRate(part: number, whole: number): string {
  if (part === 0 || part === whole) return part === 0 ? '0%' : '100%';
  return `${Math.min(999, Math.max(1, Math.round((1_000 * part) / whole))) / 10}%`;
}

/** Returns the share as a percentage with at most one decimal. Never rounds up, so that no limit seems to be reached. */
export function formatPercent(share: number): string {
  return `${Math.floor(share * 1_000 + 1e-9) / 10}%`;
}

export function formatCount(count: number): string {
  return formatNumber(count, {});
}
