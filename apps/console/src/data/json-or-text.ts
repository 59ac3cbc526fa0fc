/**
 * The value that a text stands for. What is no JSON, or a whole number that the browser cannot hold, stays the text
 * that was typed: the service says what is wrong with it.
 */
export function jsonOrText(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}
