import { createHash, type Hash } from 'node:crypto';
import type { HeaderLines } from 'mailparser';
import { plainLine } from './plain-text.js';

/** Arriving mail with this header starts no run. */
export const OWN_MAIL_HEADER = 'agent-run';

export class EmailHeaders {
  private readonly values = new Map<string, string[]>();

  constructor(lines: HeaderLines) {
    for (const { key, line } of lines) {
      const value = plainLine(line.slice(line.indexOf(':') + 1));
      const known = this.values.get(key);
      if (known) known.push(value);
      else this.values.set(key, [value]);
    }
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  /**
   * Returns the value of the first header of this name. Ignores later headers of this name, because a sender can add
   * them to mislead readers.
   */
  first(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  has(name: string): boolean {
    return this.values.has(name);
  }
}

export function isAutoSubmitted(headers: EmailHeaders): boolean {
  const declared = headers.first('auto-submitted')?.toLowerCase();
  if (declared !== undefined) return !/^no\b/.test(declared);
  if (/^(bulk|junk|list|auto_reply)$/i.test(headers.first('precedence') ?? '')) return true;
  return ['x-autoreply', 'x-autorespond', 'x-auto-reply-from'].some((name) => headers.has(name));
}

export function isBounce(headers: EmailHeaders, sender: string | null): boolean {
  if (sender === '') return true;
  const type = headers.first('content-type')?.toLowerCase() ?? '';
  return type.startsWith('multipart/report') && /report-type\s*=\s*"?delivery-status/.test(type);
}

export function messageIdsOf(value: string | undefined): string[] {
  return value?.match(/<[^<>\s]{1,996}>/g) ?? [];
}

const MAX_MESSAGE_ID = 998;

/** If the id is longer than RFC 5322 allows for a line of a mail, returns a hash of the id. */
export function messageIdOf(value: string | undefined): string | undefined {
  const text = value?.trim();
  if (!text || /^<\s*>$/.test(text)) return undefined;
  const id = /<[^<>\s]+>/.exec(text)?.[0] ?? text;
  return Buffer.byteLength(id) <= MAX_MESSAGE_ID ? id : messageIdOfHash(createHash('sha256').update(id));
}

/** Its domain is reserved (RFC 6761), so it cannot equal the id of a real mail. */
function messageIdOfHash(hash: Hash): string {
  return `<${hash.digest('hex')}@derived.invalid>`;
}

/** Headers that relays and mailboxes add. They differ from one delivery of a mail to the next. */
const TRACE_HEADERS =
  /^(?:received(?:-spf)?|return-path|delivered-to|authentication-results|dkim-signature|domainkey-signature|arc-.+|x-received|x-original-to|x-google-.+|x-gm-.+|x-spam-.+|x-virus-.+|x-forefront-.+|x-ms-exchange-.+|x-microsoft-.+|envelope-to|x-envelope-.+|delivery-date)$/;

/**
 * Derives the id of a mail that has no message id. Uses only the headers and the body that the sender wrote, so that
 * each delivery of the mail gets the same id.
 */
export class DerivedMessageId {
  private readonly hash = createHash('sha256');

  constructor(lines: HeaderLines) {
    for (const { key, line } of lines) if (!TRACE_HEADERS.test(key)) this.hash.update(`${line}\r\n`);
    this.hash.update('\r\n');
  }

  add(body: Uint8Array): void {
    this.hash.update(body);
  }

  value(): string {
    return messageIdOfHash(this.hash);
  }
}

export function dateOf(value: string | undefined): string | null {
  if (value === undefined) return null;
  const date = new Date(value.replace(/\([^()]*\)/g, ''));
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date.toISOString() : null;
}

export function headerLength(raw: Buffer): number {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => raw.indexOf(end)).filter((at) => at !== -1);
  return Math.min(raw.length, ...ends);
}
