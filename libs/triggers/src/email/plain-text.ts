/** Removes NUL characters, which Postgres cannot store, and replaces lone surrogates. Changes line ends to `\n`. */
export function plainText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().replace(/\r\n?/g, '\n');
}

/** Joins a text to one line, for example a folded header or a header with injected line breaks. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Truncates a text to at most `limit` bytes of UTF-8, between two characters. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
