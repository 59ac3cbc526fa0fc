import { scopeSummary } from './scope-summary.js';

const READER = [
  ...['agents', 'runs', 'approvals', 'knowledge', 'connections', 'files'].map((thing) => `${thing}:read`),
  'approvals:decide',
];

describe('the line of scopes', () => {
  it('names the first of many, and all of few', () => {
    expect(scopeSummary(READER)).toBe('Read everything and decide approvals');
    expect(scopeSummary([...READER, 'runs:cancel', 'agents:run', 'state:write'])).toBe(
      'Read everything, start runs and 3 more',
    );
    expect(scopeSummary(['runs:read'])).toBe('See runs');
    expect(scopeSummary(['agents:read', 'runs:read', 'agents:run'])).toBe('Start runs, see agents and see runs');
    expect(scopeSummary([])).toBe('');
  });
});
