import { SourceError } from './source-document.js';

/** A carriage return without a line feed. It is a line break in YAML 1.2 (section 5.4), but not for the YAML parser. */
const LONE_CARRIAGE_RETURNS = /\r(?!\n)/g;

/**
 * Characters that YAML 1.2 (section 5.1) does not allow. Surrogates are left out, because the values are checked for
 * them after parsing.
 */
const NOT_PRINTABLE = /[^\P{Cc}\t\n\r\u0085]|[\ufffe\uffff]/u;

/** Removes a byte order mark and replaces line breaks that the YAML parser does not support. */
export function textToRead(text: string, format: 'yaml' | 'json'): string {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return format === 'yaml' ? content.replace(LONE_CARRIAGE_RETURNS, '\n') : content;
}

/** @throws SourceError at the first control character that the format does not allow */
export function rejectControlCharacters(text: string, format: 'yaml' | 'json'): void {
  const at = format === 'yaml' ? text.search(NOT_PRINTABLE) : text.indexOf('\0');
  if (at === -1) return;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  if (code === '0000') throw new SourceError('Text must not contain NUL characters.', at, 'Remove it.');
  const detail = `Text must not contain control characters; this one is U+${code}.`;
  throw new SourceError(detail, at, `Remove it, or write it as \`"\\u${code}"\` in double quotes.`);
}

/** Matches a key that expects an expression, and its value if the value has no quotes. */
const EXPRESSION_KEY = /(?:^|[\s{,])(when|if|filter|assert|applied_if|until|for_each)\s*:\s*([^\s'"|>&*!][^\n]*)/;
const UNQUOTED_PLACEHOLDER = /(?:^|[\s,:[{])\$\{\{/;
const UNQUOTED_BRACES = /(?:^|[\s,:[{])\{\{/;
/** Characters of CEL that have a different meaning in YAML. */
const AMBIGUOUS = /[{}[\],?&*#:]/;

/**
 * Returns a suggestion for a line of YAML that cannot be parsed because an expression in it has no quotes; undefined if
 * the line has no such expression.
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
