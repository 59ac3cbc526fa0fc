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

/**
 * Takes secrets out of what is recorded: these very values, as they are and in the encodings in which receivers echo them
 * (JSON, percent, base64 and those of JSON, also inside a longer base64 text such as basic credentials), and whatever is a credential by
 * its form. Numbers that a secret consists of become text.
 */
export class SecretRedaction {
  /** Longest first, so that a secret that holds another one is replaced as a whole. */
  private readonly forms: readonly string[];
  private readonly numbers: ReadonlySet<string>;

  constructor(secrets: Iterable<string>) {
    const values = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    this.forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    this.numbers = new Set(values.filter((value) => value.length >= SHORTEST_NUMBER));
  }

  /** The text with `[redacted]` in the places of secrets. To be applied before anything is cut off the text. */
  text(text: string): string {
    let redacted = text;
    for (const form of this.forms) {
      if (redacted.includes(form)) redacted = redacted.replaceAll(form, REDACTED);
    }
    return scrubCredentials(redacted);
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

function formsOf(secret: string): string[] {
  const texts = spellingsOf(secret).flatMap(jsonForms);
  // An encoding inside another one: what echoes a header does so in JSON, and that may be part of a query or a token.
  const outer = secret.length <= LONGEST_NESTED ? [...new Set(texts)] : [secret];
  return [...texts, ...outer.flatMap(bytesOf).flatMap((bytes) => [...percentForms(bytes), ...base64Forms(bytes)])];
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
