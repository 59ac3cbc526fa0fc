/** Whoever is asked for asks for pauses of seconds up to minutes; a run does not wait longer for one. */
export const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/**
 * Milliseconds, of `retry-after-ms` (OpenAI) or `Retry-After` with seconds or a date (RFC 9110, section 10.2.3). Undefined where
 * neither says anything that can be understood. `now`: milliseconds since 1970.
 */
export function retryAfter(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const millis = textOf(headers['retry-after-ms']);
  if (millis && /^\d+(\.\d+)?$/.test(millis)) return Math.ceil(Number(millis));
  const given = textOf(headers['retry-after']);
  if (!given) return undefined;
  if (/^\d+(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.trim();
}
