import { useEffect } from 'react';
import { actOnPage } from './page-keys.js';

/** The second key of a pair counts for this long. */
const PAIR_MILLIS = 1_500;

export interface KeyActions {
  openPalette: () => void;
  openHelp: () => void;
  /** The letter that follows `g`. */
  goTo: (letter: string) => void;
}

/** Keys of every page. Single letters count only where nothing is typed and no dialog is open. */
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
      if (isSecond) actions.goTo(event.key);
      else if (event.key === '?') actions.openHelp();
      else if (actOnPage(event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
    // Once for the whole page: a pair of keys may span two renderings.
  }, []);
}

/** Ctrl K, and Command K on a Mac. */
function isPaletteKey({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey;
}

const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]';

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPING) !== null;
}
