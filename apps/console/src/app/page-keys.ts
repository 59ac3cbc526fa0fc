/**
 * Performs a keyboard shortcut on the current page. Returns false if the page has no element for the shortcut. Most
 * shortcuts click the element whose `data-shortcut` attribute is the key.
 */
export function actOnPage(key: string): boolean {
  if (key === 'j' || key === 'k') return focusEntry(key === 'j' ? 1 : -1);
  const element = elementOf(key);
  if (element === null || element === undefined) return false;
  if (key === '/') element.focus();
  else element.click();
  return true;
}

function elementOf(key: string): HTMLElement | null | undefined {
  if (key === '/') return document.querySelector('main select, main input:not([type=checkbox]), main textarea');
  if (key === 'x') return document.activeElement?.closest('tr')?.querySelector('input[type=checkbox]');
  return document.querySelector(`[data-shortcut="${CSS.escape(key)}"]`);
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
