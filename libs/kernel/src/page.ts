export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/**
 * A request for one page of a list that is sorted by id: at most `limit` rows that follow the row with the id `after`.
 */
export interface PageRequest {
  limit: number;
  order: SortOrder;
  after?: string;
}

export interface Page<T> {
  data: T[];
  /** Id of the last row of the page. Set only if more rows follow. */
  last?: string;
}

/** Creates a page from up to `limit + 1` rows. The extra row only shows that more rows exist. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1)?.id : undefined;
  return last === undefined ? { data } : { data, last };
}
