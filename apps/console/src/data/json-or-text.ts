/**
 * Parses a text as JSON. Returns the text itself if it is not valid JSON. Also returns the text if it is an integer
 * that a JavaScript number cannot hold exactly. The API then reports the error.
 */
export function jsonOrText(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}
