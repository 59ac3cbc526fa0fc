import type { JsonObject, JsonValue } from '@app/kernel';
import { scrubCredentials } from './scrubber.js';

const REDACTED = '[redacted]';
/**
 * Minimum length of a redacted secret in characters. Shorter secrets occur in ordinary text, and the positions of the
 * redactions would reveal them.
 */
const SHORTEST_SECRET = 4;
const SHORTEST_ENCODED = 8;
const SHORTEST_NUMBER = 6;
/** The limit keeps the search fast. */
const MAX_NESTED = 1024;

/** Each text that is searched for has at least this length. */
const PREFIX = SHORTEST_SECRET;
const HASH_MASK = 0xffff;
const NO_BEGINNINGS = new Uint8Array(0);

/**
 * Redacts secrets in data before the data is recorded. Finds: - the given secrets, - their encodings that a receiver
 * may return: JSON, HTML, percent, hexadecimal, and base64 at any offset, - percent, base64 and hexadecimal encodings
 * of these encodings, - text that has the form of a credential.
 */
export class SecretRedaction {
  /** The longest text of a group is first. */
  private readonly forms = new Map<string, string[]>();
  /**
   * One lookup rules out nearly all positions of the examined text. Allocated with the first secret, because most runs
   * have no secrets.
   */
  private beginnings = NO_BEGINNINGS;
  private readonly numbers = new Set<string>();

  constructor(secrets: Iterable<string>) {
    this.add(...secrets);
  }

  add(...secrets: readonly string[]): void {
    const values = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    if (values.length === 0) return;
    if (this.forms.size === 0) this.beginnings = new Uint8Array(HASH_MASK + 1);
    for (const form of new Set(values.flatMap(formsOf))) {
      const prefix = form.slice(0, PREFIX);
      const known = this.forms.get(prefix) ?? [];
      if (known.length === 0) this.forms.set(prefix, known);
      if (!known.includes(form)) known.push(form);
      this.beginnings[hashOf(prefix)] = 1;
    }
    for (const known of this.forms.values()) known.sort((a, b) => b.length - a.length);
    for (const value of values) if (value.length >= SHORTEST_NUMBER) this.numbers.add(value);
  }

  /** Reads the text once for any number of secrets. Call this method before the text is truncated. */
  text(text: string): string {
    return scrubCredentials(this.given(text));
  }

  given(text: string): string {
    if (this.forms.size === 0) return text;
    const parts: string[] = [];
    let end = 0;
    const { beginnings } = this;
    let hash = hashOf(text.slice(0, PREFIX - 1));
    for (let last = PREFIX - 1; last < text.length; last += 1) {
      hash = rolled(hash, text.charCodeAt(last));
      if (beginnings[hash] === 0) continue;
      const at = last - PREFIX + 1;
      const form = this.forms.get(text.slice(at, at + PREFIX))?.find((each) => text.startsWith(each, at));
      if (form === undefined || at + form.length <= end) continue;
      if (at >= end) parts.push(text.slice(end, at), REDACTED);
      end = at + form.length;
    }
    return parts.length === 0 ? text : parts.join('') + text.slice(end);
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.numbers.has(String(value)) ? REDACTED : value;
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return typeof value === 'object' && value !== null ? this.object(value) : value;
  }

  object(object: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(object).map(([key, member]) => [this.text(key), this.value(member)]));
  }
}

/** The hash has 16 bits, and each character shifts it by 4 bits, so it depends only on the last four characters. */
function rolled(hash: number, code: number): number {
  return ((hash << 4) ^ code) & HASH_MASK;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = rolled(hash, text.charCodeAt(at));
  return hash;
}

function formsOf(secret: string): string[] {
  const texts = [...new Set(spellingsOf(secret).flatMap((text) => [...jsonForms(text), ...htmlForms(text)]))];
  // Nested encodings are searched too. For example, a JSON text that contains a secret can be encoded in a query string
  // or in a token.
  const isNested = secret.length <= MAX_NESTED;
  const encoded = new Set((isNested ? texts : [secret]).flatMap(bytesOf).flatMap(encodedForms));
  const twice = isNested ? new Set(bytesOf(secret).flatMap(encodedForms)) : [];
  return [...texts, ...encoded, ...[...twice].flatMap((form) => encodedForms(Buffer.from(form)))];
}

function encodedForms(bytes: Buffer): string[] {
  return [...percentForms(bytes), ...base64Forms(bytes), ...hexForms(bytes)];
}

function hexForms(bytes: Buffer): string[] {
  const form = bytes.toString('hex');
  return form.length >= SHORTEST_ENCODED ? [form, form.toUpperCase()] : [];
}

const HTML_QUOTES: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
];

function htmlForms(text: string): string[] {
  if (!/[&<>"'`/=]/.test(text)) return [];
  return HTML_QUOTES.map((quotes) => {
    const entities = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ...quotes }));
    return text.replace(/[&<>"'`/=]/g, (char) => entities.get(char) ?? char);
  });
}

/**
 * Returns the secret, and the forms that it takes if a receiver decodes it with the wrong charset: UTF-8 bytes as
 * Latin-1, or Latin-1 bytes as UTF-8. Only non-ASCII characters differ.
 */
function spellingsOf(secret: string): string[] {
  return [secret, ...bytesOf(secret).flatMap((bytes) => [bytes.toString('latin1'), bytes.toString('utf8')])];
}

function bytesOf(text: string): Buffer[] {
  const utf8 = Buffer.from(text);
  return utf8.length === text.length ? [utf8] : [utf8, Buffer.from(text, 'latin1')];
}

function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
  return [text, json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/')];
}

function percentForms(bytes: Buffer): string[] {
  return [/[A-Za-z0-9_.~-]/, /[A-Za-z0-9_.~!'()*-]/].flatMap((unreserved) => {
    const form = (escape: (byte: number) => string): string =>
      Array.from(bytes, (byte) => {
        const char = String.fromCharCode(byte);
        return unreserved.test(char) ? char : escape(byte);
      }).join('');
    const [lower, upper] = [form((byte) => `%${hex(byte, 2)}`), form((byte) => `%${hex(byte, 2).toUpperCase()}`)];
    return [lower, upper, lower.replaceAll('%20', '+'), upper.replaceAll('%20', '+')];
  });
}

/** Omits the characters that also depend on the neighbouring bytes. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const core = padded.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
    return core.length >= SHORTEST_ENCODED ? [core, core.replaceAll('+', '-').replaceAll('/', '_')] : [];
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
