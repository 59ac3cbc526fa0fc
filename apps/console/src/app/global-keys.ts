import { useEffect } from 'react';

/** Maximum time between the two keys of a shortcut such as `g r`. */
const PAIR_MILLIS = 1_500;

export interface KeyActions {
  openPalette: () => void;
  openHelp: () => void;
  /** Called with the letter that was pressed after `g`. */
  goTo: (letter: string) => void;
}

/**
 * Handles the keyboard shortcuts that work on every page. Ignores single letters in text fields and while a dialog is
 * open.
 */
export function useGlobalKeys(actions: KeyActions): void {
  useEffect(() => {
    let firstAt = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        actions.openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const isSecond = event.timeStamp - firstAt < PAIR_MILLIS;
      firstAt = event.key === 'g' && !isSecond ? event.timeStamp : -Infinity;
      if (isSecond) {
        // Otherwise the browser types the letter into a text field that `goTo` focuses.
        event.preventDefault();
        actions.goTo(event.key);
      } else if (event.key === '?') actions.openHelp();
      else if (actOnPage(event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
    // The empty dependency list keeps `firstAt`, the time of the first key of a shortcut, if the page renders before
    // the second key.
  }, []);
}

function isPaletteKey({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey;
}

const TYPING =
  'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]';

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPING) !== null;
}

/**
 * Performs a keyboard shortcut on the current page. Returns false if the page has no element for the shortcut. Most
 * shortcuts click the element whose `data-shortcut` attribute is the key. An element with `data-focus-key` only gets the
 * focus.
 */
function actOnPage(key: string): boolean {
  if (key === 'j' || key === 'k') return focusEntry(key === 'j' ? 1 : -1);
  const element = elementOf(key);
  if (element === null || element === undefined) return false;
  if (key === '/' || element.dataset.focusKey === key) element.focus();
  else element.click();
  return true;
}

function elementOf(key: string): HTMLElement | null | undefined {
  if (key === '/') return document.querySelector('main select, main input:not([type=checkbox]), main textarea');
  if (key === 'x') return document.activeElement?.closest('tr')?.querySelector('input[type=checkbox]');
  const letter = CSS.escape(key);
  return document.querySelector(`[data-shortcut="${letter}"], [data-focus-key="${letter}"]`);
}

/** Moves the focus to the link of the next or previous list entry. */
function focusEntry(step: 1 | -1): boolean {
  const entries = [...document.querySelectorAll('main tbody tr, main ol > li')].filter((entry) =>
    entry.querySelector('a'),
  );
  const at = entries.findIndex((entry) => entry.contains(document.activeElement));
  const entry = at < 0 ? entries[0] : entries[at + step];
  entry?.querySelector('a')?.focus();
  return entry !== undefined;
}
