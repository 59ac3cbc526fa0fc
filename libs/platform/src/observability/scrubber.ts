/** Secrets that are recognised by their form, wherever they stand in a text. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\baas_(live|test)_[0-9A-Za-z]{8,}/g, 'aas_$1_[redacted]'],
  [/\bwhsec_[0-9A-Za-z+/=_-]{8,}/g, 'whsec_[redacted]'],
  [/\b(Bearer|Basic)(\s+)[0-9A-Za-z._~+/=-]{8,}/gi, '$1$2[redacted]'],
  // user:password@ in connection strings
  [/([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/@"'\\]{1,200}:[^\s/@"'\\]{1,200}@/gi, '$1[redacted]@'],
  [/\bsk-[0-9A-Za-z_-]{16,}/g, 'sk-[redacted]'],
  [/\b(gh[pousr]_|github_pat_)[0-9A-Za-z_]{20,}/g, '$1[redacted]'],
  [/\bxox[abeoprs]-[0-9A-Za-z-]{10,}/g, 'xox-[redacted]'],
  [/\b(AKIA|ASIA)[0-9A-Z]{16}\b/g, '$1[redacted]'],
];

// One cheap look decides that most lines need no work.
const SUSPICIOUS = /aas_|whsec_|bearer|basic|:\/\/[^\s/]*@|sk-|gh[pousr]_|github_pat_|xox|AKIA|ASIA/i;

/**
 * The text with every secret of a known form replaced by `[redacted]`: our keys and webhook secrets, bearer and basic
 * credentials, passwords in URLs, and keys of common providers. JSON text stays valid JSON. This is the last of several
 * nets; a secret without a recognisable form must be kept away by whoever knows it.
 */
export function scrubSecrets(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return PATTERNS.reduce((scrubbed, [pattern, replacement]) => scrubbed.replace(pattern, replacement), text);
}
