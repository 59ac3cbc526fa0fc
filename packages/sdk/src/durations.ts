/** A number of milliseconds, or a whole number with a unit: `500ms`, `30s`, `10m`, `2h`, `7d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const MILLIS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Converts a duration to milliseconds.
 *
 * @param name name of the option, for the error message
 * @throws {TypeError} if the duration is invalid
 */
export function durationMillis(duration: Duration, name: string): number {
  if (typeof duration === 'number' && duration >= 0) return duration;
  const millis = typeof duration === 'string' ? textMillis(duration) : undefined;
  if (millis !== undefined) return millis;
  throw new TypeError(`\`${name}\` must be a whole number and a unit, for example \`20s\`, or milliseconds.`);
}

export function durationText(duration: Duration): string {
  return typeof duration === 'number' ? `${duration} ms` : duration;
}

export function textMillis(text: string): number | undefined {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * MILLIS[unit as keyof typeof MILLIS];
}

/** If `text` is a duration, subtracts it from `now` and returns the resulting time. Otherwise returns `text`. */
export function timeBefore(text: string, now: number): string {
  const millis = textMillis(text);
  return millis === undefined ? text : new Date(now - millis).toISOString();
}
