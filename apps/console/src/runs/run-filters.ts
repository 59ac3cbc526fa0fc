import type { Search } from '../data/search.js';
import { periodText, type WordKind, word } from '../data/words.js';

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
export const TRIGGER_TYPES = [
  'api',
  'webhook',
  'email.received',
  'schedule',
  'poll',
  'evaluation',
  'replay',
  'agent',
  'mcp',
] as const;
export const PERIODS = ['1h', '24h', '7d', '30d'] as const;
export const ERROR_CODES = [
  'tool_error',
  'tool_denied',
  'approval_rejected',
  'approval_expired',
  'budget_exceeded',
  'step_limit',
  'loop_limit',
  'timeout',
  'queue_expired',
  'output_invalid',
  'provider_error',
  'provider_rate_limited',
  'knowledge_forbidden',
  'knowledge_unavailable',
  'secret_missing',
  'connection_forbidden',
  'connection_unavailable',
  'worker_lost',
  'recording_failed',
  'in_doubt',
  'policy_error',
  'assertion_failed',
  'code_error',
  'code_limit',
  'internal_error',
] as const;

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
  const text = kind === undefined ? periodLabel(value) : word(kind, value);
  return { name: FILTER_NAMES[name] ?? name, value: text };
}

const FILTER_NAMES: Readonly<Record<string, string>> = {
  trigger_type: 'trigger',
  error_code: 'error',
  error_group: 'same error',
  q: 'contains',
  replay_of: 'replay of',
  parent: 'child run of',
  id: 'run',
};

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

/** Values of the form fields in `FilterPanel`. */
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
}

const TEXTS = ['version', 'initiator', 'error_code', 'replay_of', 'parent'] as const;

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
  for (const name of ['label', 'id'] as const) result = withValues(result, name, lines(entered[name]));
  for (const name of ['since', 'until'] as const) {
    const isPeriod = /^\d+[a-z]+$/.test(valuesOf(search, name)[0] ?? '');
    if (entered[name] !== '') result = { ...result, [name]: instantOf(entered[name], isUtc) };
    else if (!isPeriod) result = { ...result, [name]: undefined };
  }
  return result;
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
