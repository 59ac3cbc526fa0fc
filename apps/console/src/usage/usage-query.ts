import type { aas } from '../data/api.js';
import { one, type Search } from '../data/search.js';

export type UsageReport = Awaited<ReturnType<typeof aas.usage.get>>;
export type Usage = UsageReport['data'][number];
export type Grouping = UsageReport['group_by'];
type Query = NonNullable<Parameters<typeof aas.usage.get>[0]>;

export const GROUPINGS = ['day', 'agent', 'model'] as const satisfies readonly Grouping[];
/** Periods that the person can choose. The API reports at most 366 days. */
export const USAGE_PERIODS = ['24h', '7d', '30d', '90d', '365d'] as const;

const FILTERS = ['group_by', 'since', 'until', 'agent'] as const;

/**
 * Converts the filters of the page URL to a query of the API. Passes the values on unchanged, because the API validates
 * them.
 */
export function usageQuery(search: Search): Query {
  const given = FILTERS.flatMap((name) => {
    const value = one(search[name]);
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Query;
}

const DAY_MILLIS = 86_400_000;

/** Returns the UTC day of a time, for example `2026-01-31`, or an empty string for a period such as `7d`. */
export function dayOf(time: string | undefined): string {
  const millis = /^\d{4}-/.test(time ?? '') ? Date.parse(time ?? '') : NaN;
  return Number.isNaN(millis) ? '' : new Date(millis).toISOString().slice(0, 10);
}

export function startOf(day: string): string {
  return `${day}T00:00:00Z`;
}

export function endOf(day: string): string {
  return new Date(Date.parse(startOf(day)) + DAY_MILLIS).toISOString().replace('.000', '');
}

/** Returns the last UTC day of a period that ends at `until`. `until` itself is not part of the period. */
export function lastDayBefore(until: string | undefined): string {
  const day = dayOf(until);
  return day === '' ? '' : dayOf(new Date(Date.parse(until ?? '') - 1).toISOString());
}
