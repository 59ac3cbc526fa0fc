import { SourceError } from './source-document.js';

/** A carriage return alone: a line break of YAML 1.2 (section 5.4), which the YAML parser does not know. */
const LONE_CARRIAGE_RETURNS = /\r(?!\n)/g;

/** What YAML 1.2 (section 5.1) leaves out of its printable characters, but for surrogates, which are checked elsewhere. */
const NOT_PRINTABLE = /[^\P{Cc}\t\n\r\u0085]|[\ufffe\uffff]/u;

/** The text as a reader takes it: without a byte order mark, and with the line breaks that the parser knows. Offsets stay. */
export function textToRead(text: string, format: 'yaml' | 'json'): string {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return format === 'yaml' ? content.replace(LONE_CARRIAGE_RETURNS, '\n') : content;
}

/** Throws {@link SourceError} at the first character that the format does not allow in its text. */
export function refuseControlCharacters(text: string, format: 'yaml' | 'json'): void {
  const at = format === 'yaml' ? text.search(NOT_PRINTABLE) : text.indexOf('\0');
  if (at === -1) return;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  if (code === '0000') throw new SourceError('Text must not contain NUL characters.', at);
  const detail = `Text must not contain control characters; this one is U+${code}.`;
  throw new SourceError(detail, at, `Remove it, or write it as \`"\\u${code}"\` in double quotes.`);
}

/** Keys whose values are bare CEL. */
const EXPRESSION_KEY = /(?:^|[\s{,])(when|if|filter|assert|applied_if|until|for_each)\s*:\s*([^\s'"|>&*!][^\n]*)/;
const UNQUOTED_PLACEHOLDER = /(?:^|[\s,:[{])\$\{\{/;
const UNQUOTED_BRACES = /(?:^|[\s,:[{])\{\{/;
/** Characters that mean something else to YAML than to CEL. */
const AMBIGUOUS = /[{}[\],?&*#:]/;

/**
 * What to do about a line of YAML that cannot be read because an expression in it has no quotes; undefined where the line
 * holds none.
 */
export function quotingHint(line: string): string | undefined {
  if (UNQUOTED_PLACEHOLDER.test(line)) return 'Put the expression in quotes: `"${{ … }}"`.';
  if (UNQUOTED_BRACES.test(line)) return 'Write an expression as `"${{ … }}"`, in quotes.';
  const [, key, value = ''] = EXPRESSION_KEY.exec(line) ?? [];
  if (key === undefined || !AMBIGUOUS.test(value)) return undefined;
  return key === 'for_each'
    ? 'Put the expression in quotes: `for_each: "${{ … }}"`.'
    : `Put the expression in quotes: \`${key}: '…'\`.`;
}
