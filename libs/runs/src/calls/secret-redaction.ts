import type { JsonObject, JsonValue } from '@app/kernel';
import { scrubCredentials } from '@app/platform/observability';

const REDACTED = '[redacted]';
/** Shorter values would tear up everything that is recorded, and hide nothing: their places tell them. */
const SHORTEST_SECRET = 4;
/** Likewise for what is encoded, and for numbers. */
const SHORTEST_ENCODED = 8;
const SHORTEST_NUMBER = 6;
/** The many forms of longer values would take more time than they are worth: those are looked for in one encoding. */
const LONGEST_NESTED = 1024;

/** Characters by which forms are found. No form is shorter. */
const PREFIX = SHORTEST_SECRET;
const HASH_MASK = 0xffff;

/**
 * Takes secrets out of what is recorded: these very values, as they are and in the encodings in which receivers echo them
 * (JSON, HTML, percent, hexadecimal, base64, also at any place of a longer base64 text such as basic credentials, and percent and base64
 * of those), and whatever is a credential by its form. Numbers that a secret consists of become text.
 */
export class SecretRedaction {
  /** Longest first, by their first characters. */
  private readonly forms = new Map<string, string[]>();
  /** Whether some form begins with characters of this hash. One look rules out nearly every place of a text. */
  private readonly beginnings = new Uint8Array(HASH_MASK + 1);
  private readonly numbers: ReadonlySet<string>;

  constructor(secrets: Iterable<string>) {
    const values = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    for (const form of [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length)) {
      const prefix = form.slice(0, PREFIX);
      const known = this.forms.get(prefix);
      if (known) known.push(form);
      else this.forms.set(prefix, [form]);
      this.beginnings[hashOf(prefix)] = 1;
    }
    this.numbers = new Set(values.filter((value) => value.length >= SHORTEST_NUMBER));
  }

  /**
   * The text with `[redacted]` in the places of secrets; forms that overlap become one. One pass, however many secrets there are. To be
   * applied before anything is cut off the text.
   */
  text(text: string): string {
    if (this.forms.size === 0) return scrubCredentials(text);
    const parts: string[] = [];
    /** The end of the last secret, and of what `parts` has. */
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
    return scrubCredentials(parts.length === 0 ? text : parts.join('') + text.slice(end));
  }

  /** A copy of the value, redacted in every text and in every name of a member. */
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

/** The hash of the last four characters: each shifts the others by a quarter of its bits. */
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
  // An encoding inside another one: what echoes a header does so in JSON, and that may be part of a query or a token.
  const isNested = secret.length <= LONGEST_NESTED;
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

/** As libraries differ: in the text of an element only `&<>` are escaped, in attributes quotes as well, in some all that may matter. */
function htmlForms(text: string): string[] {
  if (!/[&<>"'`/=]/.test(text)) return [];
  return HTML_QUOTES.map((quotes) => {
    const entities = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ...quotes }));
    return text.replace(/[&<>"'`/=]/g, (char) => entities.get(char) ?? char);
  });
}

/** Headers are read as Latin-1, bodies as UTF-8: beyond ASCII one is easily taken for the other. */
function spellingsOf(secret: string): string[] {
  return [secret, ...bytesOf(secret).flatMap((bytes) => [bytes.toString('latin1'), bytes.toString('utf8')])];
}

function bytesOf(text: string): Buffer[] {
  const utf8 = Buffer.from(text);
  return utf8.length === text.length ? [utf8] : [utf8, Buffer.from(text, 'latin1')];
}

/** As it is, and as it stands between quotes, also where an encoder escapes slashes or everything beyond ASCII. */
function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
  return [text, json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/')];
}

/** RFC 3986 as encoders differ: with or without `!'()*`, in capitals or not, and as forms write a space. */
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

/**
 * What base64 makes of the bytes at each of the three places that they can have in a longer text, without the characters
 * that depend on their neighbours; in both alphabets (RFC 4648).
 */
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
