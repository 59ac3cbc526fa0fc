/**
 * Parses a text as JSON. Returns the text itself if it is not valid JSON, or if it is an integer that exceeds the
 * precision of a JavaScript number. The API then reports the error.
 */
export function jsonOrText(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}
