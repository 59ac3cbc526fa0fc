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
 * What a trusted relay says about a mail in its `Authentication-Results` (RFC 8601). `values` are those headers in the order
 * of the mail, the newest first; `trusted` are the names that the operator's own relays sign them with. Only the first header
 * of a trusted relay counts: what stands below it came from outside and may bear any name. Several DKIM signatures pass
 * together when one of them does.
 */
export function authenticationResults(values: readonly string[], trusted: readonly string[]): Authentication {
  const [said] = values.flatMap((value) => {
    const [service = '', ...results] = withoutComments(value).split(';');
    const name = service.trim().split(/\s/)[0]?.toLowerCase() ?? '';
    return trusted.some((relay) => relay.toLowerCase() === name) ? [results] : [];
  });
  return { spf: verdictOf('spf', said), dkim: verdictOf('dkim', said), dmarc: verdictOf('dmarc', said) };
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

/** Comments may hold anything, a `;` or a result as well. */
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
