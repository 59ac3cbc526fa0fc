/**
 * Characters that could control a terminal or change the order in which a line is displayed: C0 and C1 control
 * characters, line separators and bidirectional overrides.
 */
// oxlint-disable-next-line no-control-regex -- finds them in order to escape them
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes a text safe for one line of a terminal. Control characters become escapes. */
export function escapedText(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? unicodeEscape(character));
}

/** Makes JSON safe for a terminal. Control characters become JSON escapes, so the values do not change. */
export function escapedJson(json: string): string {
  return json.replace(CONTROL, (character) => (character === '\n' ? character : unicodeEscape(character)));
}

/** Whether the text contains control characters other than line breaks. */
export function hasControls(text: string): boolean {
  return text.replaceAll('\n', '').search(CONTROL) >= 0;
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
