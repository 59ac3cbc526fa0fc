import { jsonOrText } from './json-or-text.js';

/** A definition that was sent as one line of JSON is read member by member. */
export function readableText(text: string): string {
  if (!text.startsWith('{') || text.trimEnd().includes('\n')) return text;
  const value = jsonOrText(text);
  return value === text ? text : JSON.stringify(value, null, 2);
}

/** Like {@link readableText}, if the lines mean exactly the same: a number with many digits, for example, may not. */
export function editableText(text: string): string {
  const readable = readableText(text);
  return readable !== text && JSON.stringify(JSON.parse(readable)) === text.trimEnd() ? readable : text;
}
