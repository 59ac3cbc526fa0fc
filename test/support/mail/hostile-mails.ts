const HEAD = 'From: ann@example.com\r\nTo: desk@example.com\r\nSubject: hostile\r\n';

/**
 * Header and repeated body of each kind of hostile mail. These mails respect all size limits, but are expensive to
 * decode or to store in memory.
 */
const HOSTILE = {
  'utf-7': ['Content-Type: text/plain; charset=utf-7\r\n\r\n', '+AGE-'],
  'carriage returns': ['\r\n', '\r'],
  'line feeds': ['\r\n', '\n'],
  dots: ['\r\n', '.\r\n'],
} as const;

export type HostileMail = keyof typeof HOSTILE;
export const HOSTILE_MAILS = Object.keys(HOSTILE) as HostileMail[];

/** Returns a mail of about `size` bytes. */
export function hostileMail(kind: HostileMail, size: number): Buffer {
  const [header, body] = HOSTILE[kind];
  return Buffer.concat([Buffer.from(HEAD + header), Buffer.alloc(size, body)]);
}
