import { scopesOf } from '../../../../libs/workspace/src/roles.js';
import { scopeSummary } from './scope-summary.js';

describe('the line of scopes', () => {
  it('names the first of many, and all of few', () => {
    expect(scopeSummary([...scopesOf('viewer')])).toBe('Read everything and decide approvals');
    expect(scopeSummary([...scopesOf('operator')])).toBe('Read everything, start runs and 3 more');
    expect(scopeSummary([...scopesOf('admin')])).toBe('Read everything, start runs and 15 more');
    expect(scopeSummary(['runs:read'])).toBe('See runs');
    expect(scopeSummary(['agents:read', 'runs:read', 'agents:run'])).toBe('Start runs, see agents and see runs');
    expect(scopeSummary([])).toBe('');
  });
});
