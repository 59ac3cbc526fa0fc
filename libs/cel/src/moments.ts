import { Duration } from '@marcbachmann/cel-js/evaluator';
import { fail, type FunctionSpec } from './function-spec.js';

const NANOS_PER_SECOND = 1_000_000_000n;
/** Maximum length of a duration in CEL: about 10 000 years. */
const MAX_SECONDS = 315_576_000_000n;
const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  d: 86_400n * NANOS_PER_SECOND,
  h: 3_600n * NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  s: NANOS_PER_SECOND,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};
const MAX_DURATION_TEXT = 100;
const DURATION = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h|d))+$/;
const DURATION_PART = /(\d*)\.?(\d*)(ns|us|µs|ms|s|m|h|d)/g;

const [FIRST_INSTANT, LAST_INSTANT] = [-62_135_596_800_000, 253_402_300_799_999];

/** Whether an instant can be written as in RFC 3339: it is in the years 1 to 9999. */
export function isInRange(instant: Date): boolean {
  return instant.getTime() >= FIRST_INSTANT && instant.getTime() <= LAST_INSTANT;
}

/** Writes a timestamp as in `2026-03-09T13:05:00.5Z`, without zeros at the end of the fraction. */
export function timestampText(instant: Date): string {
  return instant.toISOString().replace(/\.?0*Z$/, 'Z');
}

export function durationText(duration: Duration): string {
  const nanos = duration.seconds * NANOS_PER_SECOND + BigInt(duration.nanos);
  const [sign, size] = nanos < 0n ? ['-', -nanos] : ['', nanos];
  const fraction = (size % NANOS_PER_SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${size / NANOS_PER_SECOND}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** Parses `1d12h`, `-1.5h` or `300ms`. A day has 24 hours. */
function duration(text: string): Duration {
  if (text === '0' || text === '+0' || text === '-0') return new Duration(0n);
  if (text.length > MAX_DURATION_TEXT || !DURATION.test(text)) {
    fail('converts a string that is not a duration', 'failed', 'Write a number and a unit, for example `1d12h`.');
  }
  const nanos = nanosOf(text);
  const signed = text.startsWith('-') ? -nanos : nanos;
  const seconds = signed / NANOS_PER_SECOND;
  if (seconds > MAX_SECONDS || seconds < -MAX_SECONDS) fail('converts a duration of more than 10 000 years');
  return new Duration(seconds, Number(signed % NANOS_PER_SECOND));
}

function nanosOf(text: string): bigint {
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(DURATION_PART)) {
    const scale = UNIT_NANOS[unit] ?? 0n;
    nanos += BigInt(whole || 0) * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return nanos;
}

export const MOMENT_FUNCTIONS: readonly FunctionSpec[] = [
  ['string(google.protobuf.Timestamp): string', timestampText],
  ['string(google.protobuf.Duration): string', durationText],
  ['duration(string): google.protobuf.Duration', duration],
  ['duration(google.protobuf.Duration): google.protobuf.Duration', (length: Duration): Duration => length],
  ['google.protobuf.Duration.getHours(): int', (length: Duration): bigint => length.getHours()],
  ['google.protobuf.Duration.getMinutes(): int', (length: Duration): bigint => length.getMinutes()],
  ['google.protobuf.Duration.getSeconds(): int', (length: Duration): bigint => length.getSeconds()],
  ['google.protobuf.Duration.getMilliseconds(): int', (length: Duration): bigint => length.getMilliseconds()],
];
