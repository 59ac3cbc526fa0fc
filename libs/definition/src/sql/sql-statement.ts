export const SQL_DIALECTS = ['postgres', 'mysql'] as const;
export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** A parameter in the text of a statement. `index` is its position in `params`, starting at 0. */
export interface SqlParameter {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

export interface SqlStatement {
  /** The first word in lower case. Empty if the statement does not begin with a word. */
  readonly firstWord: string;
  readonly parameters: readonly SqlParameter[];
  readonly hasMore: boolean;
}

/** Thrown if a statement cannot be read. `suggestion` says how to correct it. */
export class SqlError extends Error {
  override readonly name = 'SqlError';

  constructor(
    message: string,
    readonly suggestion: string,
  ) {
    super(message);
  }
}

type Token = {
  readonly kind: 'space' | 'word' | 'parameter' | 'end' | 'other';
  readonly end: number;
  readonly index?: number;
};

/**
 * Finds the first word and the parameters of a statement. Ignores words and parameters in quoted text, dollar-quoted
 * text and comments.
 * @throws SqlError for a quote or comment without an end, and for a comment that MySQL executes
 */
export function readSql(text: string, dialect: SqlDialect): SqlStatement {
  const read = dialect === 'postgres' ? postgresToken : (from: string, at: number) => mysqlToken(from, at);
  const parameters: SqlParameter[] = [];
  let firstWord: string | undefined;
  let hasEnded = false;
  let hasMore = false;
  let placeholders = 0;
  for (let at = 0; at < text.length;) {
    const token = read(text, at);
    if (token.kind === 'end') hasEnded = true;
    else if (token.kind !== 'space') hasMore ||= hasEnded;
    if (token.kind === 'parameter')
      parameters.push({ index: token.index ?? placeholders++, start: at, end: token.end });
    // A statement may begin with parentheses: `(select 1) union (select 2)`.
    if (firstWord === undefined && token.kind !== 'space' && text[at] !== '(')
      firstWord = token.kind === 'word' ? text.slice(at, token.end).toLowerCase() : '';
    at = token.end;
  }
  return { firstWord: firstWord ?? '', parameters, hasMore };
}

/**
 * Returns whether a statement of MySQL contains the word `into`. With it, a SELECT statement writes a file on the
 * database server, or a variable. The settings of the server decide where its strings end, so each reading counts.
 */
export function hasMysqlInto(text: string): boolean {
  return MYSQL_STRINGS.some((strings) => {
    try {
      return readsInto(text, strings);
    } catch (error) {
      // With settings under which the statement cannot be read, the server rejects it.
      if (error instanceof SqlError) return false;
      throw error;
    }
  });
}

function readsInto(text: string, strings: RegExp): boolean {
  for (let at = 0; at < text.length;) {
    const { kind, end } = mysqlToken(text, at, strings);
    const word = text.slice(at, end);
    // After a period or an at sign, the word is a name. A number may end within a word: `1.into` is `1. into`.
    if (kind === 'word' && /^into$/i.test(word) && !/[.@]$/.test(text.slice(0, at).slice(-1))) return true;
    if (kind === 'other' && /^\d.*into/i.test(word)) return true;
    at = end;
  }
  return false;
}

const SPACE = /\s+/y;
const LINE_COMMENT = /--[^\n]*/y;
const MYSQL_LINE_COMMENT = /(?:--(?=\s|$)|#)[^\n]*/y;
const ESCAPED_STRING = /[eE]'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'/y;
const STRING = /'[^']*(?:''[^']*)*'/y;
const MYSQL_STRING = /(?:'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'|"[^"\\]*(?:(?:\\[^]|"")[^"\\]*)*")/y;
/** Strings of MySQL by default, with the modes ANSI_QUOTES and NO_BACKSLASH_ESCAPES, and with one of the modes. */
const MYSQL_STRINGS = [
  MYSQL_STRING,
  /(?:'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'|"[^"]*(?:""[^"]*)*")/y,
  /(?:'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*")/y,
];
const IDENTIFIER = /"[^"]*(?:""[^"]*)*"/y;
const MYSQL_IDENTIFIER = /`[^`]*(?:``[^`]*)*`/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const NUMBERED = /\$(\d+)/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d[\w.]*/y;

function postgresToken(text: string, at: number): Token {
  const end = endOf(SPACE, text, at) ?? endOf(LINE_COMMENT, text, at);
  if (end !== undefined) return { kind: 'space', end };
  if (text.startsWith('/*', at)) return { kind: 'space', end: endOfNestedComment(text, at) };
  const quoted = endOf(ESCAPED_STRING, text, at) ?? endOf(STRING, text, at) ?? endOf(IDENTIFIER, text, at);
  if (quoted !== undefined) return { kind: 'other', end: quoted };
  const opening = endOf(DOLLAR, text, at);
  if (opening !== undefined) {
    const tag = text.slice(at, opening);
    const closing = text.indexOf(tag, opening);
    if (closing < 0) throw withoutEnd(tag);
    return { kind: 'other', end: closing + tag.length };
  }
  const parameter = endOf(NUMBERED, text, at);
  if (parameter !== undefined)
    return { kind: 'parameter', end: parameter, index: Number(text.slice(at + 1, parameter)) - 1 };
  return plainToken(text, at, `'"`);
}

function mysqlToken(text: string, at: number, strings = MYSQL_STRING): Token {
  const end = endOf(SPACE, text, at) ?? endOf(MYSQL_LINE_COMMENT, text, at);
  if (end !== undefined) return { kind: 'space', end };
  if (text.startsWith('/*', at)) {
    if (/^\/\*M?!/.test(text.slice(at, at + 4)))
      throw new SqlError(
        'A comment must not begin with `/*!`, because the server executes its content.',
        'Remove the comment.',
      );
    const closing = text.indexOf('*/', at + 2);
    if (closing < 0) throw withoutEnd('/*');
    return { kind: 'space', end: closing + 2 };
  }
  const quoted = endOf(strings, text, at) ?? endOf(MYSQL_IDENTIFIER, text, at);
  if (quoted !== undefined) return { kind: 'other', end: quoted };
  if (text[at] === '?') return { kind: 'parameter', end: at + 1 };
  return plainToken(text, at, `'"\``);
}

function plainToken(text: string, at: number, quotes: string): Token {
  const char = text.charAt(at);
  if (quotes.includes(char)) throw withoutEnd(char);
  if (char === ';') return { kind: 'end', end: at + 1 };
  const word = endOf(WORD, text, at);
  if (word !== undefined) return { kind: 'word', end: word };
  return { kind: 'other', end: endOf(NUMBER, text, at) ?? at + 1 };
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** In Postgres, comments can contain comments. */
function endOfNestedComment(text: string, at: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  throw withoutEnd('/*');
}

function withoutEnd(mark: string): SqlError {
  return new SqlError(`The statement contains \`${mark}\`, which is not closed.`, 'Close each quote and each comment.');
}
