import { type Search, stringifySearch } from '../data/search.js';

/** Query parameters of paging. They are not part of a view. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'cursor']);

/** Converts the query of the page address to the query of a saved view. Equal filters give equal texts. */
export function viewQuery(search: Search): string {
  const kept = Object.entries(search).filter(
    ([name, value]) => !PAGING.has(name) && value !== undefined && value !== '',
  );
  return stringifySearch(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(1);
}
