import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from '@app/kernel';
import {
  checkKey,
  checkText,
  duplicateKey,
  tooDeep,
  tooManyValues,
  MAX_VALUES,
  type PlacedMember,
  type PlacedValue,
  positionOf,
  SourceDocument,
  SourceError,
  type SourcePath,
} from './source-document.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Parses strict JSON (RFC 8259) and records the position of every value, in linear time and with at most `maxDepth`
 * levels of recursion.
 * @throws SourceError for invalid syntax, duplicate keys, keys that could reach a prototype, and more than `maxDepth`
 * levels
 */
export function readJson(text: string, maxDepth: number): SourceDocument {
  const { value, place } = new JsonReader(text, maxDepth, true).readDocument();
  return new SourceDocument(text, value, () => place);
}

/** Returns the first mistake in a text that `JSON.parse` rejects. The message of V8 usually lacks the position. */
export function findJsonMistake(text: string): JsonMistake | undefined {
  try {
    new JsonReader(text, MAX_JSON_DEPTH, false).readDocument();
    return undefined;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { detail, suggestion } = error;
    const { line, column } = positionOf(text, error.offset);
    return { detail, line, column, ...(suggestion !== undefined && { suggestion }) };
  }
}

export interface JsonMistake {
  detail: string;
  line: number;
  column: number;
  suggestion?: string;
}

interface ReadValue {
  readonly value: JsonValue;
  readonly place: PlacedValue;
}

class JsonReader {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    /** Data may have any keys, and any number of values. */
    private readonly isDefinition: boolean,
  ) {}

  readDocument(): ReadValue {
    this.skipSpace();
    if (this.at >= this.text.length) throw new SourceError('The document is empty.', 0);
    const root = this.readValue([], 0);
    this.skipSpace();
    if (this.at < this.text.length)
      throw new SourceError('There is more text after the end of the JSON value.', this.at, 'Remove it.');
    return root;
  }

  private readValue(path: SourcePath, depth: number): ReadValue {
    if (this.isDefinition && ++this.values > MAX_VALUES) throw tooManyValues(this.at);
    const start = this.at;
    const char = this.text.charAt(start);
    if (char === '{' || char === '[') {
      if (depth >= this.maxDepth) throw tooDeep(this.maxDepth, start, path);
      return char === '{' ? this.readObject(path, depth + 1) : this.readList(path, depth + 1);
    }
    const value = char === '"' ? this.readText() : this.readLiteral();
    if (typeof value === 'string') checkText(value, start, path);
    return { value, place: { start, end: this.at } };
  }

  private readObject(path: SourcePath, depth: number): ReadValue {
    const start = this.at;
    const value: JsonObject = {};
    const members = new Map<string, PlacedMember>();
    this.readMembers('}', () => {
      const keyStart = this.at;
      if (this.text.charAt(keyStart) !== '"') throw this.unexpected('A key in double quotes');
      const key = this.readText();
      if (this.isDefinition) {
        checkKey(key, keyStart, [...path, key]);
        if (members.has(key)) throw duplicateKey(key, keyStart, [...path, key]);
      }
      this.skipSpace();
      if (this.text.charAt(this.at) !== ':') throw this.unexpected('A `:` after the key');
      this.at++;
      this.skipSpace();
      const member = this.readValue([...path, key], depth);
      value[key] = member.value;
      members.set(key, { keyStart, value: member.place });
    });
    return { value, place: { start, end: this.at, members } };
  }

  private readList(path: SourcePath, depth: number): ReadValue {
    const start = this.at;
    const items: ReadValue[] = [];
    this.readMembers(']', () => items.push(this.readValue([...path, items.length], depth)));
    return {
      value: items.map((item) => item.value),
      place: { start, end: this.at, items: items.map((item) => item.place) },
    };
  }

  private readMembers(close: string, readOne: () => void): void {
    this.at++;
    this.skipSpace();
    if (this.text.charAt(this.at) === close) {
      this.at++;
      return;
    }
    for (;;) {
      readOne();
      this.skipSpace();
      const char = this.text.charAt(this.at);
      if (char !== ',' && char !== close) throw this.unexpected(`A comma or \`${close}\``);
      const comma = this.at++;
      if (char === close) return;
      this.skipSpace();
      if (this.text.charAt(this.at) === close) {
        throw new SourceError(`JSON allows no comma before \`${close}\`.`, comma, 'Remove the comma.');
      }
    }
  }

  private readText(): string {
    const start = this.at;
    for (let end = start + 1; end < this.text.length; end++) {
      const code = this.text.charCodeAt(end);
      if (code === 0x5c) end++;
      else if (code === 0x22) {
        this.at = end + 1;
        return this.decode(start, end + 1);
      } else if (code < 0x20) {
        throw new SourceError(
          'A string must not contain line breaks or control characters.',
          end,
          'Write a line break as `\\n`.',
        );
      }
    }
    throw new SourceError('A string has an opening `"`, but no closing `"`.', start, 'Add the closing `"`.');
  }

  private decode(start: number, end: number): string {
    try {
      const value: unknown = JSON.parse(this.text.slice(start, end));
      return String(value);
    } catch {
      throw new SourceError(
        'This string contains an escape sequence that is not valid in JSON.',
        start,
        'Write `\\\\` for a backslash.',
      );
    }
  }

  private readLiteral(): JsonValue {
    for (const [literal, value] of LITERALS) {
      if (!this.text.startsWith(literal, this.at)) continue;
      this.at += literal.length;
      return value;
    }
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.text)?.[0];
    if (digits === undefined) throw this.unexpected('A value');
    const start = this.at;
    this.at += digits.length;
    const value = Number(digits);
    if (!Number.isFinite(value))
      throw new SourceError('This number is too large.', start, 'Write it as a string, in quotes.');
    return value;
  }

  private unexpected(expected: string): SourceError {
    const char = this.text.charAt(this.at);
    const found = char === '' ? 'the text ends' : `there is \`${char}\``;
    return new SourceError(
      `${expected} is expected here, but ${found}.`,
      this.at,
      hintFor(this.text.slice(this.at, this.at + 2)),
    );
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }
}

function hintFor(found: string): string | undefined {
  if (found.startsWith("'")) return 'Write strings in double quotes, for example `"refund"`.';
  if (found === '//' || found === '/*' || found.startsWith('#'))
    return 'Remove the comment. Only YAML allows comments.';
  if (/^[A-Za-z_]/.test(found)) return 'Put it in double quotes, or send YAML with `Content-Type: application/yaml`.';
  return undefined;
}
