export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** One page of a list in keyset order: the rows after the row `after`, in `order` of the id. */
export interface PageRequest {
  limit: number;
  order: SortOrder;
  /** Id of the last row of the previous page. */
  after?: string;
}

export interface Page<T> {
  data: T[];
  /** Id of the last row, when there are more rows after it. */
  last?: string;
}

/** Cuts a page from `limit + 1` rows: the extra row only proves that more exist. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1)?.id : undefined;
  return last === undefined ? { data } : { data, last };
}
