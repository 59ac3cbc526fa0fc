/** A definition that was sent as one line of JSON is compared member by member. */
export function readableText(text: string): string {
  if (!text.startsWith('{') || text.trimEnd().includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
