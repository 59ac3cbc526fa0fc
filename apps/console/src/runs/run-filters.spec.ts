import type { Search } from '../data/search.js';
import {
  activeFilters,
  choices,
  filterText,
  formOf,
  furtherFilters,
  isSearching,
  runQuery,
  withFurtherFilters,
  withoutFilter,
  withValues,
} from './run-filters.js';

describe('the filters of the runs', () => {
  it('are taken from the address as they are, so that the API refuses what it does not know', () => {
    const search = { status: 'failed,bogus', agent: '', since: '7d', label: ['a=b', 'c=d'], statuss: 'x', cursor: 'y' };
    expect(runQuery(search)).toEqual({ status: 'failed,bogus', since: '7d', label: ['a=b', 'c=d'], statuss: 'x' });
  });

  it('can be removed one by one', () => {
    const search = { status: 'failed,queued', label: ['a=b', 'c=d'], version: '3' };
    expect(activeFilters(search)).toEqual([
      { name: 'status', value: 'failed' },
      { name: 'status', value: 'queued' },
      { name: 'label', value: 'a=b' },
      { name: 'label', value: 'c=d' },
      { name: 'version', value: '3' },
    ]);
    expect(withoutFilter(search, { name: 'status', value: 'failed' }).status).toBe('queued');
    expect(withoutFilter(search, { name: 'label', value: 'a=b' }).label).toBe('c=d');
    expect(withoutFilter(search, { name: 'version', value: '3' }).version).toBeUndefined();
  });

  it('say limits of time and cost in words, and are then a search', () => {
    expect(filterText({ name: 'min_duration_ms', value: '90000' })).toEqual({
      name: 'active time',
      value: 'at least 1 min 30 s',
    });
    expect(filterText({ name: 'max_cost', value: '0.25' })).toEqual({ name: 'cost', value: 'at most 0.25' });
    expect([isSearching({ min_cost: '1' }), isSearching({ q: '' }), isSearching({ status: 'failed' })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('have one form for the two limits of a value, and none for what the bar shows', () => {
    expect(['min_cost', 'max_cost', 'until', 'agent'].map(formOf)).toEqual(['cost', 'cost', 'period', undefined]);
  });

  it('repeat a parameter for several values', () => {
    expect(withValues({}, 'status', ['failed', 'queued'])).toEqual({ status: ['failed', 'queued'] });
  });

  it('offer the value of the address although it is no single known one', () => {
    expect(choices(['failed'], 'failed,queued', 'Any').map(({ value }) => value)).toEqual([
      '',
      'failed',
      'failed,queued',
    ]);
    expect(choices(['failed'], 'failed', 'Any')).toHaveLength(2);
  });
});

describe('the form of further filters', () => {
  const changed = (search: Search, entered: object, isUtc = true): Search =>
    runQuery(withFurtherFilters(search, { ...furtherFilters(search, isUtc), ...entered }, isUtc));

  it('shows what the address has, and changes nothing by itself', () => {
    const search = {
      status: ['failed', 'queued'],
      agent: 'agt_1',
      version: '3',
      label: ['a=b', 'c=d'],
      since: '2026-01-31T08:00:00Z',
    };
    expect(furtherFilters(search, true)).toMatchObject({ label: 'a=b\nc=d', since: '2026-01-31T08:00', until: '' });
    expect(changed(search, {})).toEqual(search);
  });

  it('takes one label and one id a line', () => {
    expect(changed({}, { label: 'a=b\n\n c=d ', id: 'run_1, run_2' })).toEqual({
      label: ['a=b', 'c=d'],
      id: ['run_1', 'run_2'],
    });
  });

  it('takes seconds, and leaves what is no number to the API', () => {
    expect(changed({}, { min_duration_ms: '1.5', max_duration_ms: '2m' })).toEqual({
      min_duration_ms: '1500',
      max_duration_ms: '2m',
    });
    expect(furtherFilters({ min_duration_ms: '90000' }, true).min_duration_ms).toBe('90');
  });

  it('keeps a period unless a time replaces it', () => {
    expect(changed({ since: '7d' }, {})).toEqual({ since: '7d' });
    expect(changed({ since: '7d' }, { since: '2026-01-31T08:00' })).toEqual({ since: '2026-01-31T08:00:00Z' });
    expect(changed({ since: '2026-01-31T08:00:00Z' }, { since: '' })).toEqual({});
  });

  it('means local times where the person has chosen them', () => {
    const local = new Date('2026-01-31T08:00').toISOString().replace('.000Z', 'Z');
    expect(changed({}, { until: '2026-01-31T08:00' }, false)).toEqual({ until: local });
  });
});
