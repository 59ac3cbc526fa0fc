import type { JsonObject, JsonValue } from '@app/kernel';
import { scrubCredentials } from '@app/platform/observability';

const REDACTED = '[redacted]';
/** Shorter values would tear up everything that is recorded, and hide nothing: their places tell them. */
const SHORTEST_SECRET = 4;
/** Likewise for what is encoded, and for numbers. */
const SHORTEST_ENCODED = 8;
const SHORTEST_NUMBER = 6;

/**
 * Takes secrets out of what is recorded: these very values, as they are and in the encodings in which receivers echo them
 * (JSON, percent, base64, also inside a longer base64 text such as basic credentials), and whatever is a credential by
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
  return [secret, ...jsonForms(secret), ...percentForms(secret), ...base64Forms(secret)];
}

/** As it stands between quotes, also where an encoder escapes slashes or everything beyond ASCII. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/')];
}

/** RFC 3986 as encoders differ: with or without `!'()*`, in capitals or not, and as forms write it. */
function percentForms(secret: string): string[] {
  const loose = encodeURIComponent(secret);
  const strict = loose.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return [loose, strict].flatMap((form) => {
    const lower = form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
    return [form, lower, form.replaceAll('%20', '+'), lower.replaceAll('%20', '+')];
  });
}

/**
 * What base64 makes of the secret at each of the three places that it can have in a longer text, without the characters
 * that depend on its neighbours; in both alphabets (RFC 4648).
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const core = padded.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
    return core.length >= SHORTEST_ENCODED ? [core, core.replaceAll('+', '-').replaceAll('/', '_')] : [];
  });
}
