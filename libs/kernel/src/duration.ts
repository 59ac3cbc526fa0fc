const UNIT_MILLIS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How durations are written in definitions: `500ms 20s 10m 24h 30d`. Decades at the most, so that now and a duration is a time. */
export const DURATION_PATTERN = '^([0-9]{1,9}(ms|s)|[0-9]{1,7}m|[0-9]{1,5}h|[0-9]{1,4}d)$';
const DURATION = new RegExp(DURATION_PATTERN);

/** Milliseconds of a duration such as `20s`, or undefined where the text is none. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const [, unit = ''] = text.split(/[0-9]+/);
  return Number.parseInt(text, 10) * UNIT_MILLIS[unit as keyof typeof UNIT_MILLIS];
}
