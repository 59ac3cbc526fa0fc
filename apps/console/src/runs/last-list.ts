import { parseSearch, type Search, stringifySearch } from '../data/search.js';

/** The list of runs that this tab showed last, so that the page of a run leads to its neighbours and back. */
export interface LastList {
  search: Search;
  ids: readonly string[];
}

const STORED = 'console-last-runs';
/** More are not remembered: a person does not go through them one by one. */
const MOST_IDS = 1_000;

export function rememberList({ search, ids }: LastList): void {
  const value = { search: stringifySearch(search), ids: ids.slice(0, MOST_IDS) };
  sessionStorage.setItem(STORED, JSON.stringify(value));
}

export function lastList(): LastList | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(STORED) ?? '') as { search: string; ids: string[] };
    return { search: parseSearch(value.search), ids: value.ids };
  } catch {
    // Nothing was remembered in this tab.
    return undefined;
  }
}

/** The runs before and after this one; undefined at the ends, and for a run that is not in the list. */
export function neighboursOf(run: string, ids: readonly string[]): { previous?: string; next?: string } {
  const at = ids.indexOf(run);
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] };
}
