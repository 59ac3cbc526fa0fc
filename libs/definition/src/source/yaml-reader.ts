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

/** A value takes four to six lexemes, so this is reached by texts that have thousands of values and nothing else. */
const MAX_LEXEMES = 40_000;
/** A level of nesting takes one entry of the parser's stack, two where a list is the value of a key. */
const parserStackOf = (maxDepth: number): number => 2 * maxDepth + 4;

/**
 * Reads one YAML 1.2 document of plain data, with the place of every value. Throws {@link SourceError} for bad syntax and for
 * what definitions may not use: anchors, aliases, tags, merge keys, duplicate keys, further documents, more than `maxDepth`
 * levels.
 *
 * The parser is fed lexeme by lexeme and stopped as soon as a limit is passed, so that no text costs more than some
 * tens of milliseconds; its own check for duplicate keys is quadratic and stays off.
 */
export function readYaml(text: string, maxDepth: number): SourceDocument {
  const tokens = parseGuarded(text, maxDepth);
  const documents = [...new Composer({ uniqueKeys: false, prettyErrors: false }).compose(tokens, true, text.length)];
  const [document, second] = documents;
  if (!document) throw new SourceError('The document is empty.', 0);
  failOnSyntaxErrors(document);
  if (second)
    throw new SourceError('Only one document is allowed.', second.range[0], 'Remove everything from `---` on.');
  if (document.contents === null) throw new SourceError('The document is empty.', 0);
  const reader = new TreeReader(text, maxDepth);
  const { value, place } = reader.read(document.contents, [], 0);
  return new SourceDocument(text, value, () => place);
}

const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  anchor: ['Anchors (`&name`) are not allowed.', 'Quote the text if it begins with `&`; else write the value out.'],
  alias: ['Aliases (`*name`) are not allowed.', 'Quote the text if it begins with `*`; else write the value out.'],
  tag: ['Tags (`!name`) are not allowed.', 'Quote the text if it begins with `!`.'],
  'directive-line': [
    'Directives (`%…`) other than `%YAML 1.2` are not allowed.',
    'Leave the line out, or quote the text if it begins with `%`.',
  ],
};
/** Says what is the case anyway (YAML 1.2.2, section 6.8.1). */
const VERSION_LINE = /^%YAML[ \t]+1\.2[ \t]*$/;

function parseGuarded(text: string, maxDepth: number): CST.Token[] {
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

/** What can be refused before anything is built: it keeps texts full of mistakes as cheap as texts full of data. */
class LexemeGuard {
  offset = 0;
  private count = 0;
  private isText = false;
  private isAfterComma = false;
  private flowLevel = 0;

  check(lexeme: string): void {
    if (++this.count > MAX_LEXEMES) throw tooManyValues(this.offset);
    const type = this.isText ? 'scalar' : CST.tokenType(lexeme);
    this.isText = !this.isText && lexeme === CST.SCALAR;
    if (this.isText || type === 'doc-mode' || type === 'flow-error-end') return;
    const refused = type === null ? undefined : REFUSED[type];
    if (refused && !VERSION_LINE.test(lexeme)) throw new SourceError(refused[0], this.offset, refused[1]);
    if (type !== null) this.checkFlow(type);
    this.offset += lexeme.length;
  }

  private checkFlow(type: string): void {
    if (type === 'space' || type === 'newline' || type === 'comment') return;
    if (type === 'comma' && this.isAfterComma)
      throw new SourceError('Between two commas a value is missing.', this.offset);
    this.isAfterComma = type === 'comma';
    if (type === 'flow-map-start' || type === 'flow-seq-start') this.flowLevel++;
    if (type !== 'flow-map-end' && type !== 'flow-seq-end') return;
    if (--this.flowLevel < 0) throw new SourceError('A bracket is closed that was not opened.', this.offset);
  }
}

/** What the library says, where that is not clear enough to somebody who does not know YAML's grammar. */
const SYNTAX_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  TAB_AS_INDENT: ['Lines cannot be indented with tabs.', 'Use spaces.'],
  BAD_INDENT: ['The indentation does not fit the lines above.', 'Give lines of one level the same number of spaces.'],
  MULTILINE_IMPLICIT_KEY: ['A key must be on one line.', 'Is the `:` missing, or a quote not closed?'],
  BLOCK_AS_IMPLICIT_KEY: ['A key cannot begin inside the value of another key.', 'Quote the text if it contains `: `.'],
  UNEXPECTED_TOKEN: ['Something stands here that cannot.', 'Quote text that contains `{`, `[`, `#`, `,` or `: `.'],
  MISSING_CHAR: ['Something is missing here.', 'Is a `:` after a key, a comma or a closing quote or bracket missing?'],
};

/** The library calls it a matter of indentation, because what is indented less ends the list or object around it. */
const UNCLOSED = /^Flow (?:map|sequence) in block collection .* end with a ([\]}])$/;

function failOnSyntaxErrors(document: Document.Parsed): void {
  const [error]: (YAMLParseError | undefined)[] = document.errors;
  if (!error) return;
  const missing = UNCLOSED.exec(error.message)?.[1];
  if (missing) {
    const detail = `Before this a \`${missing}\` is missing, or lines between the brackets are not indented.`;
    throw new SourceError(detail, error.pos[0], `Add the \`${missing}\`, or indent the lines.`);
  }
  const [detail, suggestion] = SYNTAX_WORDS[error.code] ?? [
    `This is not YAML: ${lowerFirst(error.message)}.`,
    undefined,
  ];
  const isVague = error.code === 'MISSING_CHAR';
  if (isVague && error.message.includes('quote'))
    throw new SourceError('A quote is opened and not closed.', error.pos[0]);
  throw new SourceError(isVague ? `${upperFirst(error.message)}.` : detail, error.pos[0], suggestion);
}

interface ReadValue {
  readonly value: JsonValue;
  readonly place: PlacedValue;
}

/** Turns the library's tree into plain data with places. The parser has bounded the depth of the recursion. */
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
    if (isAlias(node)) throw new SourceError('Aliases (`*name`) are not allowed.', startOf(node), undefined, path);
    throw new SourceError('This is not plain data.', startOf(node), undefined, path);
  }

  private readScalar(node: Scalar, path: SourcePath): ReadValue {
    const place = { start: startOf(node), end: node.range?.[1] ?? this.text.length };
    const value = node.value;
    if (typeof value === 'string') checkText(value, place.start, path);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { value, place };
    if (typeof value === 'number' && Number.isFinite(value)) return { value, place };
    throw new SourceError(`\`${node.source ?? ''}\` is not a number that JSON can hold.`, place.start, undefined, path);
  }

  private readList(node: YAMLSeq, path: SourcePath, depth: number): ReadValue {
    const items = node.items.map((item, index) =>
      this.read(isPair(item) ? asMap(item) : item, [...path, index], depth),
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
      throw new SourceError('A key must be a word or a number.', start, 'Quote it, or check the braces.', path);
    }
    const name = typeof key.value === 'string' ? key.value : (key.source ?? JSON.stringify(key.value));
    const inner = [...path, name];
    checkKey(name, start, inner);
    if (name === '<<')
      throw new SourceError('Merge keys (`<<`) are not allowed.', start, 'Write the values out.', path);
    return [name, start, inner];
  }
}

/** `[a: 1]` in YAML is a list with an object of one member. */
function asMap(pair: Pair): unknown {
  throw new SourceError('In a list, `key: value` needs braces.', startOf(pair.key), 'Write `[{ key: value }]`.');
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
