import { jsonOrText } from '../data/json-or-text.js';

/** A definition that was sent as one line of JSON is compared member by member. */
export function readableText(text: string): string {
  if (!text.startsWith('{') || text.trimEnd().includes('\n')) return text;
  const value = jsonOrText(text);
  return value === text ? text : JSON.stringify(value, null, 2);
}
