import { fileEntries, modelEntries } from './attention-entries.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const models = (ends_at: string | null, used_by = 2) => [
  { provider: 'a', name: 'm', input: [], structured_output: false, effort: null, prices: null, ends_at, used_by },
];

describe('the models that need attention', () => {
  it.each([
    ['2027-02-27', 'ending', '2 agents use a/m, which ends on 2027-02-27'],
    ['2026-11-29', 'ended', '2 agents use a/m, which ended on 2026-11-29'],
  ])('are those in use that end on %s', (end, status, text) => {
    expect(modelEntries(models(end), NOW)).toEqual([{ key: 'a/m', status, text, path: '/agents' }]);
  });

  it('are not those that end later, never, or are not in use', () => {
    expect(modelEntries(models('2027-02-28'), NOW)).toEqual([]);
    expect(modelEntries(models(null), NOW)).toEqual([]);
    expect(modelEntries(models('2026-12-01', 0), NOW)).toEqual([]);
  });
});

it('files need attention if the storage has lost their bytes', () => {
  expect(fileEntries(undefined)).toEqual([]);
  expect(fileEntries({ files: { missing: 0 } })).toEqual([]);
  expect(fileEntries({ files: { missing: 2 } })).toMatchObject([{ status: 'error', path: '/settings/files' }]);
});
