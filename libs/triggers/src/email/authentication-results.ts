export const AUTHENTICATION_VERDICTS = [
  'pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'policy',
  'temperror',
  'permerror',
] as const;
export type AuthenticationVerdict = (typeof AUTHENTICATION_VERDICTS)[number];

export interface Authentication {
  spf: AuthenticationVerdict | null;
  dkim: AuthenticationVerdict | null;
  dmarc: AuthenticationVerdict | null;
}

/**
 * `trusted` are the names of the operator's relays. Only the newest header with such a name counts, because a sender
 * can forge older headers. If one of several DKIM signatures passes, the DKIM verdict is `pass`.
 */
export function authenticationResults(values: readonly string[], trusted: readonly string[]): Authentication {
  const [results] = values.flatMap((value) => {
    const [service = '', ...entries] = withoutComments(value).split(';');
    const name = service.trim().split(/\s/)[0]?.toLowerCase() ?? '';
    return trusted.some((relay) => relay.toLowerCase() === name) ? [entries] : [];
  });
  return { spf: verdictOf('spf', results), dkim: verdictOf('dkim', results), dmarc: verdictOf('dmarc', results) };
}

function verdictOf(method: string, results: readonly string[] = []): AuthenticationVerdict | null {
  const found = results.flatMap((result) => {
    const match = /^\s*([a-z-]+)(?:\/[0-9]+)?\s*=\s*([a-z]+)/i.exec(result);
    if (match?.[1]?.toLowerCase() !== method) return [];
    const verdict = AUTHENTICATION_VERDICTS.find((known) => known === match[2]?.toLowerCase());
    return verdict ? [verdict] : [];
  });
  return found.find((verdict) => verdict === 'pass') ?? found[0] ?? null;
}

/** Removes comments, which may contain a `;` or text that looks like a result. */
function withoutComments(value: string): string {
  let depth = 0;
  let text = '';
  for (const char of value) {
    if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) text += char;
  }
  return text;
}
