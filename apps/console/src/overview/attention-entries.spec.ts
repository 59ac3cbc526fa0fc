import type { RunStatistic } from '../agents/run-statistic.js';
import type { Run } from '../data/api.js';
import {
  budgetEntries,
  failingAgents,
  fileEntries,
  groupEntries,
  modelEntries,
  type Source,
  sourceEntries,
} from './attention-entries.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const models = (ends_at: string | null, used_by = 2) => [
  { provider: 'a', name: 'm', input: [], structured_output: false, effort: null, prices: null, ends_at, used_by },
];

describe('the models that need attention', () => {
  it.each([
    ['2027-02-27', 'ending', 'ends on 2027-02-27. 2 agents use it'],
    ['2026-11-29', 'ended', 'ended on 2026-11-29. 2 agents use it'],
  ])('are those in use that end on %s', (end, status, text) => {
    expect(modelEntries(models(end), NOW)).toEqual([{ key: 'a/m', status, subject: 'a/m', text, path: '/agents' }]);
  });

  it('are not those that end later, never, or are not in use', () => {
    expect(modelEntries(models('2027-02-28'), NOW)).toEqual([]);
    expect(modelEntries(models(null), NOW)).toEqual([]);
    expect(modelEntries(models('2026-12-01', 0), NOW)).toEqual([]);
  });
});

describe('the groups that need attention', () => {
  it('are those that do not exist and that open approvals wait for', () => {
    const waiting = [{ approvers: ['legal', 'finance'] }, { approvers: ['finance'] }];
    expect(groupEntries(waiting, ['finance'])).toEqual([
      {
        key: 'group finance',
        status: 'error',
        subject: 'The group finance',
        text: 'does not exist. 2 open approvals name it. Create the group',
        path: '/settings/groups',
        search: { name: 'finance' },
        hash: 'create-group',
      },
    ]);
    expect(groupEntries(waiting, ['legal'])[0]?.text).toMatch(/1 open approval names it/);
  });
});

describe('the budgets that need attention', () => {
  const spent = (spent_today: string) =>
    budgetEntries([
      {
        id: 'agt_1',
        name: 'refund-desk',
        budget: {
          per_day: '2.00',
          currency: 'EUR',
          spent_today,
          reserved: '0.00',
          resets_at: '2026-11-30T00:00:00.000Z',
        },
      },
      { id: 'agt_2', name: 'free', budget: null },
    ]);

  it.each([
    ['1.60', 'ending', /1[.,]60 of .*2[.,]00/],
    ['2.01', 'error', /2[.,]01 of/],
  ])('are those of which at least 80 percent is spent: %s of 2.00', (amount, status, text) => {
    expect(spent(amount)).toMatchObject([
      { subject: 'refund-desk', status, text: expect.stringMatching(text), path: '/agents/agt_1' },
    ]);
  });

  it('are no others', () => expect(spent('1.59')).toEqual([]));
});

it('sources need attention under their titles, not under the kinds of their connectors', () => {
  const source = { id: 'src_1', knowledge_base: 'kb_1', connector: 'google_drive', error: null };
  const broken = [
    { ...source, authorization: 'expired', status: 'active' },
    { ...source, authorization: 'active', status: 'error' },
  ] as Source[];
  const entries = sourceEntries(broken, new Map([['kb_1', 'handbook']]), () => 'Google Drive · Terms');
  expect(entries).toMatchObject([
    { subject: 'handbook', text: 'the permission of Google Drive · Terms has expired', search: { tab: 'sources' } },
    { subject: 'handbook', text: 'the last sync of Google Drive · Terms failed' },
  ]);
});

it('files need attention if the storage has lost their bytes', () => {
  expect(fileEntries(undefined)).toEqual([]);
  expect(fileEntries({ files: { missing: 0 } })).toEqual([]);
  expect(fileEntries({ files: { missing: 2 } })).toMatchObject([{ status: 'error', path: '/settings/files' }]);
});

describe('the failing agents', () => {
  const sum = (agent: string, failed: number): RunStatistic => ({
    start: '2026-01-31T08:00:00.000Z',
    agent,
    agent_name: `agent ${agent}`,
    runs: 200,
    failed,
    duration_ms: { p50: 1, p95: 2 },
    cost: { amount: '0', currency: 'EUR' },
  });
  const run = (agent: string) => ({ agent, agent_name: `agent ${agent}`, error: null, ended_at: null }) as Run;

  it('are all of them, also if the newest failed runs are of one', () => {
    const newest = [run('noisy'), run('noisy'), run('late')];
    expect(failingAgents([sum('noisy', 150), sum('quiet', 1), sum('quiet', 2), sum('fine', 0)], newest)).toEqual([
      { agent: 'noisy', name: 'agent noisy', failed: 150, newest: newest[0] },
      { agent: 'late', name: 'agent late', failed: 1, newest: newest[2] },
      { agent: 'quiet', name: 'agent quiet', failed: 3 },
    ]);
  });
});
