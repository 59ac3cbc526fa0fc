export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

export interface PageRequest {
  limit: number;
  order: SortOrder;
  after?: string;
}

export interface Page<T> {
  data: T[];
  last?: string;
}

/** The extra row only shows that more rows exist. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1)?.id : undefined;
  return last === undefined ? { data } : { data, last };
}
