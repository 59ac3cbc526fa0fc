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
