type Rule = readonly [pattern: RegExp, replacement: string | ((match: string, ...groups: string[]) => string)];

const CREDENTIALS: readonly Rule[] = [
  [/\baas_(live|test)_[0-9A-Za-z]{8,}/g, 'aas_$1_[redacted]'],
  [/\bwhsec_[0-9A-Za-z+/=_-]{8,}/g, 'whsec_[redacted]'],
  // user:password@ in connection strings
  [/(?<=[a-z0-9]:\/\/)[^\s/@"'\\]{1,200}:[^\s/@"'\\]{1,200}@/gi, '[redacted]@'],
  [/\b(gh[pousr]_|github_pat_)[0-9A-Za-z_]{20,}/g, '$1[redacted]'],
  [/\bxox[abeoprs]-[0-9A-Za-z-]{10,}/g, 'xox-[redacted]'],
  [/\b(AKIA|ASIA)[0-9A-Z]{16}\b/g, '$1[redacted]'],
];

/** Patterns that match secrets, but can also match ordinary text. In log lines, all matching text is removed. */
const SUSPECTS: readonly Rule[] = [
  [/\b(Bearer|Basic)(\s+)[0-9A-Za-z._~+/=-]{8,}/gi, '$1$2[redacted]'],
  [/\bsk-[0-9A-Za-z_-]{16,}/g, 'sk-[redacted]'],
];

/**
 * Stricter forms of the patterns in SUSPECTS, for customer data. They do not match ordinary text such as `the basic
 * information` or `sk-regional-office-north`.
 */
const CERTAIN_SUSPECTS: readonly Rule[] = [
  [
    /\b(Bearer\s+)([0-9A-Za-z._~+/=-]{16,})/gi,
    (match, scheme, token) => unlessWords(match, `${scheme}[redacted]`, token),
  ],
  [
    /\b(Basic\s+)([0-9A-Za-z+/]{8,}={0,2})/gi,
    (match, scheme, text) => (isUserAndPassword(text) ? `${scheme}[redacted]` : match),
  ],
  [/\bsk-([0-9A-Za-z_-]{16,})/g, (match, token) => unlessWords(match, 'sk-[redacted]', token)],
];

// If a text does not match, the patterns above are not tried on it.
const SUSPICIOUS = /aas_|whsec_|bearer|basic|:\/\/[^\s/]*@|sk-|gh[pousr]_|github_pat_|xox|AKIA|ASIA/i;

/** Code that handles a secret without a recognisable form must not log it. */
export function scrubSecrets(text: string): string {
  return scrub(text, [CREDENTIALS, SUSPECTS]);
}

/** Used for customer data. */
export function scrubCredentials(text: string): string {
  return scrub(text, [CREDENTIALS, CERTAIN_SUSPECTS]);
}

function scrub(text: string, rules: readonly (readonly Rule[])[]): string {
  if (!SUSPICIOUS.test(text)) return text;
  return rules
    .flat()
    .reduce(
      (scrubbed, [pattern, replacement]) =>
        typeof replacement === 'string'
          ? scrubbed.replace(pattern, replacement)
          : scrubbed.replace(pattern, replacement),
      text,
    );
}

function unlessWords(match: string, scrubbed: string, token: string): string {
  return /\d/.test(token) && /[A-Za-z]/.test(token) ? scrubbed : match;
}

function isUserAndPassword(base64: string): boolean {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return base64.length % 4 === 0 && text.includes(':') && !/[\p{Cc}\ufffd]/u.test(text);
}
