import type { Search } from '../data/search.js';
import { periodText, type WordKind, word } from '../data/words.js';
import { formatDuration } from '../ui/format-values.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting_approval',
  'succeeded',
  'failed',
  'handed_off',
  'cancelled',
] as const;
export const RUN_MODES = ['production', 'test'] as const;
export const PERIODS = ['1h', '24h', '7d', '30d'] as const;

/** Query parameters of paging. They are not filters. */
const PAGING = new Set(['limit', 'cursor']);

/** Converts the query of the page URL to a query of the API. The API checks the names and values. */
export function runQuery(search: Search): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === '' || PAGING.has(name) ? [] : [[name, value]],
    ),
  );
}

/**
 * Returns the values of a filter. A query parameter `status` or `id` may contain several values, separated by commas.
 */
export function valuesOf(search: Search, name: string): string[] {
  const values = [search[name] ?? []].flat().filter((value) => value !== '');
  return name === 'status' || name === 'id' ? values.flatMap((value) => value.split(',')) : values;
}

export interface ActiveFilter {
  name: string;
  value: string;
}

const FILTER_WORDS: Readonly<Record<string, WordKind>> = {
  status: 'status',
  mode: 'mode',
  trigger_type: 'trigger',
  error_code: 'error',
};

/** Returns the name of a filter and its value in words. */
export function filterText({ name, value }: ActiveFilter): ActiveFilter {
  const kind = FILTER_WORDS[name];
  const text = kind === undefined ? (limitText(name, value) ?? periodLabel(value)) : word(kind, value);
  return { name: FILTER_NAMES[name] ?? name, value: text };
}

function limitText(name: string, value: string): string | undefined {
  const [, end, kind] = /^(min|max)_(duration_ms|cost)$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const shown = kind === 'cost' || !/^\d+$/.test(value) ? value : formatDuration(Number(value));
  return `${end === 'min' ? 'at least' : 'at most'} ${shown}`;
}

const FILTER_NAMES: Readonly<Record<string, string>> = {
  trigger_type: 'trigger',
  error_code: 'error',
  error_group: 'same error',
  q: 'contains',
  min_duration_ms: 'active time',
  max_duration_ms: 'active time',
  min_cost: 'cost',
  max_cost: 'cost',
  initiator: 'started by',
  since: 'from',
  until: 'to',
  replay_of: 'replay of',
  parent: 'child run of',
  id: 'run',
};

const SEARCHING = ['q', 'min_duration_ms', 'max_duration_ms', 'min_cost', 'max_cost'];

/** Whether the list searches the runs page by page, so that a page can be empty although older runs match. */
export function isSearching(search: Search): boolean {
  return SEARCHING.some((name) => valuesOf(search, name).length > 0);
}

export function activeFilters(search: Search): ActiveFilter[] {
  const names = Object.keys(runQuery(search)).filter((name) => name !== 'order');
  return names.flatMap((name) => valuesOf(search, name).map((value) => ({ name, value })));
}

/** Replaces the values of a filter. An empty list removes the filter. */
export function withValues(search: Search, name: string, values: readonly string[]): Search {
  return { ...search, [name]: values.length > 1 ? [...values] : values[0] };
}

/** Removes one value of a filter. */
export function withoutFilter(search: Search, { name, value }: ActiveFilter): Search {
  return withValues(
    search,
    name,
    valuesOf(search, name).filter((each) => each !== value),
  );
}

/**
 * Returns the options of a select field: `values`, and the current value in the page URL if it is not one of them. The
 * current value may contain several values, separated by commas.
 */
export function choices(
  values: readonly string[],
  current: string,
  any: string,
  labelOf: (value: string) => string = String,
): { value: string; label: string }[] {
  const isKnown = current === '' || values.includes(current);
  const labelled = [...values, ...(isKnown ? [] : [current])].map((value) => ({
    value,
    label: value.split(',').map(labelOf).join(', '),
  }));
  return [{ value: '', label: any }, ...labelled];
}

/** Returns `last 7 days` for the period `7d`, and a time unchanged. */
export function periodLabel(since: string): string {
  const text = periodText(since);
  return text === since ? since : `last ${text}`;
}

/** Values of the fields of the forms of filters. */
export interface FurtherFilters {
  status: readonly string[];
  version: string;
  initiator: string;
  error_code: string;
  replay_of: string;
  parent: string;
  /** Labels, one `key=value` per line. */
  label: string;
  id: string;
  /** Start of the period, as a time without a zone, for example `2026-01-31T08:00`. */
  since: string;
  /** End of the period, in the format of `since`. */
  until: string;
  /** Limits of the active time, in seconds. */
  min_duration_ms: string;
  max_duration_ms: string;
  min_cost: string;
  max_cost: string;
}

const TEXTS = ['version', 'initiator', 'error_code', 'replay_of', 'parent', 'min_cost', 'max_cost'] as const;
const DURATIONS = ['min_duration_ms', 'max_duration_ms'] as const;

/** The forms of filters. Each has the fields of one or two query parameters. */
export const FILTER_FORMS = {
  status: { name: 'Status', fields: ['status'] },
  period: { name: 'Period', fields: ['since', 'until'] },
  version: { name: 'Version', fields: ['version'] },
  initiator: { name: 'Started by', fields: ['initiator'] },
  error: { name: 'Error', fields: ['error_code'] },
  duration: { name: 'Active time', fields: DURATIONS },
  cost: { name: 'Cost', fields: ['min_cost', 'max_cost'] },
  label: { name: 'Labels', fields: ['label'] },
  replay: { name: 'Replay of', fields: ['replay_of'] },
  parent: { name: 'Child run of', fields: ['parent'] },
  id: { name: 'Run ids', fields: ['id'] },
} as const satisfies Record<string, { name: string; fields: readonly (keyof FurtherFilters)[] }>;

export type FilterForm = keyof typeof FILTER_FORMS;
export const FILTER_FORM_NAMES = Object.keys(FILTER_FORMS) as FilterForm[];

/** Returns the form that changes a filter, or undefined if the filter has a field of its own above the list. */
export function formOf(name: string): FilterForm | undefined {
  return FILTER_FORM_NAMES.find((form) => FILTER_FORMS[form].fields.some((field) => field === name));
}

export function furtherFilters(search: Search, isUtc: boolean): FurtherFilters {
  const text = (name: string): string => valuesOf(search, name)[0] ?? '';
  const lines = (name: string): string => valuesOf(search, name).join('\n');
  return {
    status: valuesOf(search, 'status'),
    version: text('version'),
    initiator: text('initiator'),
    error_code: text('error_code'),
    replay_of: text('replay_of'),
    parent: text('parent'),
    label: lines('label'),
    id: lines('id'),
    since: fieldTime(text('since'), isUtc),
    until: fieldTime(text('until'), isUtc),
    min_duration_ms: secondsOf(text('min_duration_ms')),
    max_duration_ms: secondsOf(text('max_duration_ms')),
    min_cost: text('min_cost'),
    max_cost: text('max_cost'),
  };
}

/**
 * Applies the form to the query of the page URL. If a time field is empty and the query contains a period such as `7d`,
 * keeps the period.
 */
export function withFurtherFilters(search: Search, entered: FurtherFilters, isUtc: boolean): Search {
  const lines = (text: string): string[] => text.split(/[\n,]/).flatMap((line) => line.trim() || []);
  let result = withValues(search, 'status', entered.status);
  for (const name of TEXTS) result = withValues(result, name, lines(entered[name]));
  for (const name of DURATIONS) result = withValues(result, name, lines(entered[name]).map(millisOf));
  for (const name of ['label', 'id'] as const) result = withValues(result, name, lines(entered[name]));
  for (const name of ['since', 'until'] as const) {
    const isPeriod = /^\d+[a-z]+$/.test(valuesOf(search, name)[0] ?? '');
    if (entered[name] !== '') result = { ...result, [name]: instantOf(entered[name], isUtc) };
    else if (!isPeriod) result = { ...result, [name]: undefined };
  }
  return result;
}

function secondsOf(millis: string): string {
  return /^\d+$/.test(millis) ? String(Number(millis) / 1_000) : millis;
}

/** Returns what is not a number unchanged, because the API checks the values. */
function millisOf(seconds: string): string {
  return /^\d+(\.\d+)?$/.test(seconds) ? String(Math.round(Number(seconds) * 1_000)) : seconds;
}

/** Formats a time for a date-time field. Returns an empty string for a period such as `7d`. */
function fieldTime(value: string, isUtc: boolean): string {
  const time = /^\d{4}-/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) return '';
  const shift = isUtc ? 0 : new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - shift).toISOString().slice(0, 16);
}

/** Converts the value of a date-time field to ISO 8601 in UTC. Returns an invalid value unchanged. */
function instantOf(value: string, isUtc: boolean): string {
  const time = new Date(isUtc ? `${value}Z` : value);
  return Number.isNaN(time.getTime()) ? value : time.toISOString().replace('.000Z', 'Z');
}
