const MAX_NAME = 255;
/** Controls, and characters that change the direction of a text and so disguise an ending. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const NAMELESS = 'file';

/** A name is changed, never rejected. */
export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const printable = last
    .toWellFormed()
    .replace(UNPRINTABLE, '')
    .normalize('NFC')
    .trim()
    .replace(/^[.\s]+/, '');
  const cut = Array.from(printable).slice(0, MAX_NAME).join('').trimEnd();
  return cut === '' ? NAMELESS : cut;
}

export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}
