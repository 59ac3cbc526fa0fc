import { baseHealth, grantsText } from './base-health.js';

const NO_SOURCE = { total: 0, syncing: 0, failing: 0, expired: 0 };

describe('the health of a base', () => {
  it.each([
    [{ sources: NO_SOURCE }, 'pending', 'no source'],
    [{ sources: { ...NO_SOURCE, total: 2 } }, 'ok', ''],
    [{ sources: { total: 3, syncing: 1, failing: 1, expired: 1 } }, 'expired', '1 permission to renew'],
    [{ sources: { total: 3, syncing: 1, failing: 2, expired: 0 } }, 'error', '2 sources cannot be read'],
    [{ sources: { total: 3, syncing: 1, failing: 0, expired: 0 } }, 'syncing', ''],
  ])('is what needs attention most: %p', (base, status, text) => {
    expect(baseHealth(base)).toEqual({ status, text });
  });

  it('is the state of the index where one is built', () => {
    const index = { status: 'building' as const, documents: { done: 2, total: 9 }, passages_waiting: 0, error: null };
    expect(baseHealth({ sources: { ...NO_SOURCE, total: 1 }, index })).toEqual({
      status: 'building',
      text: '2 of 9 documents in the new index',
    });
  });
});

describe('the grants of a base', () => {
  it('are counted by type', () => {
    expect(grantsText({ agents: 2, users: 1, groups: 0, channels: 1 })).toBe('2 agents, 1 person, 1 channel');
    expect(grantsText({ agents: 0, users: 0, groups: 0, channels: 0 })).toBe('no grants');
  });
});
