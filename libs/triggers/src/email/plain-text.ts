/** Removes NUL characters, which Postgres cannot store, and replaces lone surrogates. */
export function plainText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().replace(/\r\n?/g, '\n');
}

export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Truncates a text to at most `limit` bytes of UTF-8 without splitting a character. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
