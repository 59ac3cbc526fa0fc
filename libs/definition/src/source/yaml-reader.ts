import type { JsonObject, JsonValue } from '@app/kernel';
import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
  type YAMLSeq,
} from 'yaml';
import {
  checkKey,
  checkText,
  duplicateKey,
  MAX_VALUES,
  type PlacedMember,
  type PlacedValue,
  SourceDocument,
  SourceError,
  type SourcePath,
  tooDeep,
  tooManyValues,
} from './source-document.js';

/**
 * Maximum number of lexemes in a text. A value takes four to six lexemes, so a text needs thousands of values to reach
 * this limit.
 */
const MAX_LEXEMES = 40_000;
/**
 * Returns the maximum size of the parser's stack. The stack has one entry for each level of nesting, and two for a list
 * that is the value of a key.
 */
const parserStackOf = (maxDepth: number): number => 2 * maxDepth + 4;

/**
 * Parses one YAML 1.2 document of plain data and records the position of every value.
 *
 * The parser receives one lexeme at a time and stops at the first exceeded limit, so that no text takes longer than
 * tens of milliseconds. The duplicate key check of the library is off, because it is quadratic.
 * @throws SourceError for invalid syntax, anchors, aliases, tags, merge keys, duplicate keys, a second document, and
 * more than `maxDepth` levels
 */
export function readYaml(text: string, maxDepth: number): SourceDocument {
  const tokens = parseWithinLimits(text, maxDepth);
  const documents = [...new Composer({ uniqueKeys: false, prettyErrors: false }).compose(tokens, true, text.length)];
  const [document, second] = documents;
  if (!document) throw new SourceError('The document is empty.', 0, 'Write a `name`, and either `steps` or a `model`.');
  failOnSyntaxErrors(document);
  if (second)
    throw new SourceError(
      'The text has more than one YAML document.',
      second.range[0],
      'Remove everything from `---` on.',
    );
  if (document.contents === null)
    throw new SourceError('The document is empty.', 0, 'Write a `name`, and either `steps` or a `model`.');
  const reader = new TreeReader(text, maxDepth);
  const { value, place } = reader.read(document.contents, [], 0);
  return new SourceDocument(text, value, () => place);
}

/** Message and suggestion for each type of token that definitions may not use. */
const REJECTED_TOKENS: Readonly<Record<string, readonly [string, string]>> = {
  anchor: [
    'Anchors (`&name`) are not allowed.',
    'If the text begins with `&`, put it in quotes. Otherwise write out the value.',
  ],
  alias: [
    'Aliases (`*name`) are not allowed.',
    'If the text begins with `*`, put it in quotes. Otherwise write out the value.',
  ],
  tag: ['Tags (`!name`) are not allowed.', 'If the text begins with `!`, put it in quotes.'],
  'directive-line': [
    'Directives (`%…`) other than `%YAML 1.2` are not allowed.',
    'Remove the line. If the line is text that begins with `%`, put it in quotes.',
  ],
};
/** Matches the directive `%YAML 1.2`. It is allowed, because it has no effect (YAML 1.2.2, section 6.8.1). */
const VERSION_LINE = /^%YAML[ \t]+1\.2[ \t]*$/;

function parseWithinLimits(text: string, maxDepth: number): CST.Token[] {
  const maxStack = parserStackOf(maxDepth);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const guard = new LexemeGuard();
  for (const lexeme of new Lexer().lex(text)) {
    guard.check(lexeme);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxStack) throw tooDeep(maxDepth, guard.offset);
  }
  tokens.push(...parser.end());
  return tokens;
}

/**
 * Rejects lexemes that definitions may not contain before the parser processes them, so that a text full of mistakes
 * takes no more work than a valid text.
 */
class LexemeGuard {
  offset = 0;
  private count = 0;
  private hasVersion = false;
  private isText = false;
  private isAfterComma = false;
  private flowLevel = 0;

  check(lexeme: string): void {
    if (++this.count > MAX_LEXEMES) throw tooManyValues(this.offset);
    const type = this.isText ? 'scalar' : CST.tokenType(lexeme);
    this.isText = !this.isText && lexeme === CST.SCALAR;
    if (this.isText || type === 'doc-mode' || type === 'flow-error-end') return;
    const rejected = type === null ? undefined : REJECTED_TOKENS[type];
    if (rejected && !VERSION_LINE.test(lexeme)) throw new SourceError(rejected[0], this.offset, rejected[1]);
    if (rejected && this.hasVersion)
      throw new SourceError('The text has more than one `%YAML` line.', this.offset, 'Remove this line.');
    this.hasVersion ||= rejected !== undefined;
    if (type !== null) this.checkFlow(type);
    this.offset += lexeme.length;
  }

  private checkFlow(type: string): void {
    if (type === 'space' || type === 'newline' || type === 'comment') return;
    if (type === 'comma' && this.isAfterComma)
      throw new SourceError(
        'A value is missing between two commas.',
        this.offset,
        'Write the value, or remove one of the commas.',
      );
    this.isAfterComma = type === 'comma';
    if (type === 'flow-map-start' || type === 'flow-seq-start') this.flowLevel++;
    if (type !== 'flow-map-end' && type !== 'flow-seq-end') return;
    if (--this.flowLevel < 0)
      throw new SourceError(
        'This closing bracket has no opening bracket.',
        this.offset,
        'Remove it, or add the opening bracket.',
      );
  }
}

/** Messages for error codes of the library whose own messages assume knowledge of YAML's grammar. */
const SYNTAX_MESSAGES: Readonly<Record<string, readonly [string, string]>> = {
  TAB_AS_INDENT: ['Lines cannot be indented with tabs.', 'Use spaces.'],
  BAD_INDENT: [
    'The indentation does not match the lines above.',
    'Indent all lines of the same level by the same number of spaces.',
  ],
  MULTILINE_IMPLICIT_KEY: ['A key must be on one line.', 'Check whether the `:` or a closing quote is missing.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'A key cannot begin inside the value of another key.',
    'If the text contains `: `, put it in quotes.',
  ],
  UNEXPECTED_TOKEN: [
    'This character is not allowed here.',
    'Put text that contains `{`, `[`, `#`, `,` or `: ` in quotes.',
  ],
  MISSING_CHAR: [
    'Something is missing here.',
    'Check for a missing `:` after a key, a missing comma, closing quote or bracket.',
  ],
};

/**
 * Matches the message for an unclosed bracket. The library reports it as bad indentation, because a line that is
 * indented less ends the collection.
 */
const UNCLOSED = /^Flow (?:map|sequence) in block collection .* end with a ([\]}])$/;

function failOnSyntaxErrors(document: Document.Parsed): void {
  const [error]: (YAMLParseError | undefined)[] = document.errors;
  if (!error) return;
  const missing = UNCLOSED.exec(error.message)?.[1];
  if (missing) {
    const detail = `A \`${missing}\` is missing before this place, or lines between the brackets are not indented.`;
    throw new SourceError(detail, error.pos[0], `Add the \`${missing}\`, or indent the lines.`);
  }
  const [detail, suggestion] = SYNTAX_MESSAGES[error.code] ?? [
    `This is not valid YAML: ${lowerFirst(error.message)}.`,
    undefined,
  ];
  const isVague = error.code === 'MISSING_CHAR';
  if (isVague && error.message.includes('quote'))
    throw new SourceError('An opening quote has no closing quote.', error.pos[0], 'Add the closing quote.');
  throw new SourceError(isVague ? `${upperFirst(error.message)}.` : detail, error.pos[0], suggestion);
}

interface ReadValue {
  readonly value: JsonValue;
  readonly place: PlacedValue;
}

/** Converts the syntax tree of the library to plain data with positions. */
class TreeReader {
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  read(node: unknown, path: SourcePath, depth: number): ReadValue {
    if (++this.values > MAX_VALUES) throw tooManyValues(startOf(node));
    if (isScalar(node)) return this.readScalar(node, path);
    if (isMap(node) || isSeq(node)) {
      if (depth >= this.maxDepth) throw tooDeep(this.maxDepth, startOf(node), path);
      return isMap(node) ? this.readMap(node, path, depth + 1) : this.readList(node, path, depth + 1);
    }
    if (isAlias(node))
      throw new SourceError('Aliases (`*name`) are not allowed.', startOf(node), 'Write out the value.', path);
    throw new SourceError(
      'This is not a plain value (string, number, boolean, null, list or object).',
      startOf(node),
      undefined,
      path,
    );
  }

  private readScalar(node: Scalar, path: SourcePath): ReadValue {
    const place = { start: startOf(node), end: node.range?.[1] ?? this.text.length };
    const value = node.value;
    if (typeof value === 'string') checkText(value, place.start, path);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { value, place };
    if (typeof value === 'number' && Number.isFinite(value)) return { value, place };
    throw new SourceError(
      `\`${node.source ?? ''}\` is not a number that JSON can represent.`,
      place.start,
      'Write it as a string, in quotes.',
      path,
    );
  }

  private readList(node: YAMLSeq, path: SourcePath, depth: number): ReadValue {
    const items = node.items.map((item, index) =>
      this.read(isPair(item) ? rejectPair(item) : item, [...path, index], depth),
    );
    return {
      value: items.map((item) => item.value),
      place: { start: startOf(node), end: endOf(node), items: items.map((item) => item.place) },
    };
  }

  private readMap(node: YAMLMap, path: SourcePath, depth: number): ReadValue {
    const value: JsonObject = {};
    const members = new Map<string, PlacedMember>();
    for (const pair of node.items) {
      const [key, keyStart, inner] = this.readKey(pair, path);
      if (members.has(key)) throw duplicateKey(key, keyStart, inner);
      const member = this.readMember(pair, inner, keyStart, depth);
      value[key] = member.value;
      members.set(key, { keyStart, value: member.place });
    }
    return { value, place: { start: startOf(node), end: endOf(node), members } };
  }

  private readMember(pair: Pair, path: SourcePath, keyStart: number, depth: number): ReadValue {
    if (pair.value !== null && pair.value !== undefined) return this.read(pair.value, path, depth);
    if (++this.values > MAX_VALUES) throw tooManyValues(keyStart);
    return { value: null, place: { start: keyStart, end: keyStart } };
  }

  private readKey(pair: Pair, path: SourcePath): readonly [name: string, start: number, inner: SourcePath] {
    const key = pair.key;
    const start = startOf(key);
    if (!isScalar(key) || key.value === null) {
      throw new SourceError('A key must be a string or a number.', start, 'Quote the key, or check the braces.', path);
    }
    const name = typeof key.value === 'string' ? key.value : (key.source ?? JSON.stringify(key.value));
    const inner = [...path, name];
    checkKey(name, start, inner);
    if (name === '<<')
      throw new SourceError('Merge keys (`<<`) are not allowed.', start, 'Write out the values.', path);
    return [name, start, inner];
  }
}

/** Rejects `[a: 1]`, which is valid YAML for a list with an object of one key. Definitions must write the braces. */
function rejectPair(pair: Pair): never {
  throw new SourceError('`key: value` in a list needs braces.', startOf(pair.key), 'Write `[{ key: value }]`.');
}

function startOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

function endOf(node: unknown): number {
  return rangeOf(node)?.[1] ?? startOf(node);
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return isNode(node) ? (node.range ?? undefined) : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
