import { SECTIONS } from '../settings/sections.js';
import { entriesFor, type Known } from './palette-entries.js';

const NOTHING: Known = { agents: [], bases: [], members: [] };
const KNOWN: Known = {
  agents: [{ id: 'agt_1', name: 'refund-desk', status: 'active' }],
  bases: [{ id: 'kb_1', name: 'handbook' }],
  members: [{ value: 'ada@example.com' }],
};

describe('the palette', () => {
  it('finds pages, agents, knowledge bases and members by a part of their name', () => {
    expect(entriesFor('US', KNOWN).map(({ path }) => path)).toContain('/usage');
    expect(entriesFor('refund', KNOWN)[0]).toEqual({ name: 'refund-desk', kind: 'Agent', path: '/agents/agt_1' });
    expect(entriesFor('handb', KNOWN)[0]).toEqual({
      name: 'handbook',
      kind: 'Knowledge base',
      path: '/knowledge/kb_1',
    });
    expect(entriesFor('ada@', KNOWN)[0]).toEqual({
      name: 'ada@example.com',
      kind: 'Member',
      path: '/settings/members',
    });
  });

  it('finds each page of the settings by its name first, and by what is on it', () => {
    const found = SECTIONS.map(({ name }) => entriesFor(name, NOTHING)[0]?.path);
    expect(found).toEqual(SECTIONS.map(({ path }) => path));
    expect(entriesFor('credentials', NOTHING)[0]?.path).toBe('/settings/secrets');
  });

  it('finds actions by their words in any order, with the scope that they need', () => {
    expect(entriesFor('refund pause', KNOWN)[0]).toEqual({
      name: 'Pause refund-desk',
      kind: 'Action',
      path: '/agents/agt_1',
      scope: 'agents:write',
      hash: 'pause',
    });
    expect(entriesFor('invite', NOTHING)[0]).toEqual({
      name: 'Invite member',
      kind: 'Action',
      path: '/settings/members',
      scope: 'members:manage',
      hash: 'invite-member',
    });
    expect(entriesFor('start refund', KNOWN)[0]?.hash).toBe('start-a-run');
  });

  it('leads to any resource whose id is pasted, and to the runs with a label', () => {
    expect(entriesFor(' run_01abc ', KNOWN)).toEqual([{ name: 'run_01abc', kind: 'Run', path: '/runs/run_01abc' }]);
    expect(entriesFor('kb_2', NOTHING)).toEqual([{ name: 'kb_2', kind: 'Knowledge base', path: '/knowledge/kb_2' }]);
    expect(entriesFor('team=Support', NOTHING)[0]?.search).toEqual({ label: 'team=Support' });
  });

  it('leads to the runs that contain any other text, and finds nothing for two letters', () => {
    expect(entriesFor(' Shop returned 503 ', KNOWN)).toEqual([
      {
        name: 'Runs that contain “Shop returned 503”',
        kind: 'Search',
        path: '/runs',
        search: { q: 'Shop returned 503' },
      },
    ]);
    expect(entriesFor('xy', KNOWN)).toEqual([]);
    expect(entriesFor('x'.repeat(201), KNOWN)).toEqual([]);
  });
});
