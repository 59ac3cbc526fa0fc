import { AGENT_STATUSES, effectiveStatus } from './agent-status.js';

describe('the effective status of an agent', () => {
  it('is its own while the workspace is active', () => {
    for (const status of AGENT_STATUSES) expect(effectiveStatus(status, { state: 'active' })).toBe(status);
  });

  it('is stopped while the workspace is, unless the agent is archived anyway', () => {
    expect(AGENT_STATUSES.map((status) => effectiveStatus(status, { state: 'stopped' }))).toEqual([
      'stopped',
      'stopped',
      'archived',
    ]);
  });
});
