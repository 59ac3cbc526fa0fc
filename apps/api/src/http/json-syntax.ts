/** The position of the first syntax error in an invalid JSON text (RFC 8259). */
export interface JsonSyntaxError {
  line: number;
  column: number;
  detail: string;
}

const SPACE = /[ \t\n\r]*/y;
// One token of JSON. If the text does not match here, the syntax error is at this position. A number, `true`, `false`
// or `null` does not match if another word character follows it directly.
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/uy;

/** The kinds of tokens that are allowed at a position. */
type Place = 'value' | 'item or end' | 'key or end' | 'key' | 'colon' | 'comma or end' | 'nothing';

/**
 * Handles a token. Returns the kinds of tokens that may follow it. Returns undefined if the token is not allowed here.
 * `open` contains the closing brackets that are still expected.
 */
type Step = (token: string, open: string[]) => Place | undefined;

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

const afterValue = (open: readonly string[]): Place => (open.length > 0 ? 'comma or end' : 'nothing');

const close: Step = (token, open) => {
  if (token !== open.at(-1)) return undefined;
  open.pop();
  return afterValue(open);
};

const value: Step = (token, open) => {
  const closing = CLOSING[token];
  if (closing === undefined) return '}],:'.includes(token) ? undefined : afterValue(open);
  open.push(closing);
  return token === '{' ? 'key or end' : 'item or end';
};

const key: Step = (token) => (token.startsWith('"') ? 'colon' : undefined);

const STEPS: Readonly<Record<Place, { expected: string; step: Step }>> = {
  value: { expected: 'a value', step: value },
  'item or end': { expected: 'a value or `]`', step: (token, open) => close(token, open) ?? value(token, open) },
  'key or end': {
    expected: 'a key in double quotes or `}`',
    step: (token, open) => close(token, open) ?? key(token, open),
  },
  key: { expected: 'a key in double quotes', step: key },
  colon: { expected: '`:`', step: (token) => (token === ':' ? 'value' : undefined) },
  'comma or end': {
    expected: '`,` or the closing bracket',
    step: (token, open) => {
      if (token !== ',') return close(token, open);
      return open.at(-1) === '}' ? 'key' : 'value';
    },
  },
  nothing: { expected: 'the end of the text', step: () => undefined },
};

/**
 * Finds the first syntax error in a text that `JSON.parse` rejects. The error message of V8 usually lacks the position.
 * Returns undefined if this parser finds no error.
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: string[] = [];
  let place: Place = 'value';
  let at = skip(SPACE, text, 0);
  while (at < text.length || place !== 'nothing') {
    const end = skip(TOKEN, text, at);
    const next: Place | undefined = end > at ? STEPS[place].step(text.slice(at, end), open) : undefined;
    if (next === undefined) return { ...lineAndColumn(text, at), detail: describe(text, at, STEPS[place].expected) };
    place = next;
    at = skip(SPACE, text, end);
  }
  return undefined;
}

/** Returns the end of the match at the position `at`, or `at` if nothing matches. The pattern must be sticky. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function describe(text: string, at: number, expected: string): string {
  const found = text.codePointAt(at);
  return `Expected ${expected}, found ${found === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(found))}.`;
}

function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
