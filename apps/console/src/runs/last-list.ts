import { parseSearch, type Search, stringifySearch } from '../data/search.js';

/**
 * The run list that this browser tab showed last. A run page links back to this list, and to the previous and next run
 * in it.
 */
export interface LastList {
  search: Search;
  ids: readonly string[];
}

const STORED = 'console-last-runs';
/** Maximum number of run ids that are stored. */
const MAX_IDS = 1_000;

export function rememberList({ search, ids }: LastList): void {
  const value = { search: stringifySearch(search), ids: ids.slice(0, MAX_IDS) };
  sessionStorage.setItem(STORED, JSON.stringify(value));
}

export function lastList(): LastList | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(STORED) ?? '') as { search: string; ids: string[] };
    return { search: parseSearch(value.search), ids: value.ids };
  } catch {
    return undefined;
  }
}

/** Returns the ids before and after the run. Returns neither if the list does not contain the run. */
export function neighboursOf(run: string, ids: readonly string[]): { previous?: string; next?: string } {
  const at = ids.indexOf(run);
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] };
}
