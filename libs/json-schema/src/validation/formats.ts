import * as standard from '@hyperjump/json-schema-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import idn from 'idn-hostname';

export interface Format {
  readonly type: 'string' | 'number';
  fits(value: unknown): boolean;
  stepsFor(length: number): number;
}

type Test = (value: string) => boolean;

const CHARACTERS_PER_STEP = 4;
/** Formats whose regular expression may take quadratic time. */
const QUADRATIC: ReadonlySet<string> = new Set(['url']);
/** On longer strings, a regular expression can exceed its stack in the JavaScript engine, which is 64 MB. */
const LONGEST = 500_000;
/** The check of a long label would exceed the stack. */
const MAX_HOSTNAME = 1_000;

/** The formats of JSON Schema. The tests of ajv for most of them differ from the standards. */
const STANDARD: Readonly<Record<string, Test>> = {
  date: standard.isDate,
  time: isTime,
  'date-time': standard.isDateTime,
  duration: standard.isDuration,
  email: isEmail,
  'idn-email': isIdnEmail,
  hostname: isHostname,
  'idn-hostname': isIdnHostname,
  ipv4: standard.isIPv4,
  ipv6: standard.isIPv6,
  uri: (value) => standard.isUri(withKnownIp(value)),
  'uri-reference': (value) => standard.isUriReference(withKnownIp(value)),
  iri: (value) => standard.isIri(withKnownIp(value)),
  'iri-reference': (value) => standard.isIriReference(withKnownIp(value)),
  'uri-template': standard.isUriTemplate,
  uuid: standard.isUuid,
  'json-pointer': standard.isJsonPointer,
  'relative-json-pointer': standard.isRelativeJsonPointer,
  regex: standard.isRegex,
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
};

export const FORMAT_NAMES: readonly string[] = [...new Set([...Object.keys(fullFormats), ...Object.keys(STANDARD)])];

const known = new Map<string, Format>();
for (const name of FORMAT_NAMES) {
  const format = formatOf(name);
  if (format) known.set(name, format);
}

/** Returns undefined for unknown formats, and for formats that every string matches. */
export function formatNamed(name: string): Format | undefined {
  return known.get(name);
}

function formatOf(name: string): Format | undefined {
  const stepsFor = (length: number): number =>
    10 + (QUADRATIC.has(name) ? (length * length) / CHARACTERS_PER_STEP : length / CHARACTERS_PER_STEP);
  const textFormat = (test: Test): Format => ({
    type: 'string',
    fits: (value) => typeof value === 'string' && value.length <= LONGEST && test(value),
    stepsFor,
  });
  const test = STANDARD[name];
  if (test) return textFormat(test);
  const definition = fullFormats[name as keyof typeof fullFormats];
  if (typeof definition === 'boolean' || typeof definition === 'string') return undefined;
  if (definition instanceof RegExp) return textFormat((value) => definition.test(value));
  if (typeof definition === 'function') return textFormat(definition);
  const { type = 'string', validate } = definition;
  const fits = (value: unknown): boolean =>
    typeof validate === 'function' && (validate as (one: unknown) => unknown)(value) === true;
  return type === 'number' ? { type, fits, stepsFor } : textFormat(fits);
}

const LEAP_SECOND = /^(\d\d):(\d\d):60(?:\.\d+)?(?:z|([+-]\d\d):(\d\d))$/i;
const DAY_MINUTES = 24 * 60;

/** A leap second can only be the last second of a day in UTC. */
function isTime(value: string): boolean {
  const leap = LEAP_SECOND.exec(value);
  if (!leap) return standard.isTime(value);
  const [, hour, minute, offset = '+0', offsetMinute = '0'] = leap;
  const sign = offset.startsWith('-') ? -1 : 1;
  const time = Number(hour) * 60 + Number(minute) - Number(offset) * 60 - sign * Number(offsetMinute);
  return standard.isTime(value.replace(':60', ':59')) && (time + 2 * DAY_MINUTES) % DAY_MINUTES === DAY_MINUTES - 1;
}

function isEmail(value: string): boolean {
  try {
    return standard.isEmail(value);
  } catch {
    // An address literal such as `a@[x:1]` of an unknown kind.
    return false;
  }
}

function isIdnEmail(value: string): boolean {
  const at = value.lastIndexOf('@');
  const domain = value.slice(at + 1);
  const local = value.slice(0, Math.max(at, 0)).replace(/[^\0-\x7f]/gu, 'a');
  return isEmail(`${local}@${isIdnHostname(domain) ? 'a' : domain}`);
}

/** Only labels with encoded Unicode are more than letters, digits and hyphens. */
function isHostname(value: string): boolean {
  return standard.isHostname(value) && value.split('.').every((label) => !/^xn--/i.test(label) || isIdnHostname(label));
}

function isIdnHostname(value: string): boolean {
  if (value.length > MAX_HOSTNAME || /[.．。｡]$/.test(value)) return false;
  try {
    return idn.isIdnHostname(value);
  } catch {
    return false;
  }
}

/** Replaces a host such as `[v7.a]`, an address of a later version of IP, for which the parser throws an error. */
function withKnownIp(value: string): string {
  return value.replace(/\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]/i, '[::]');
}
