import { compareDefinitions } from './compare-definitions.js';

const agent = (params: object) => ({
  name: 'a',
  model: { provider: 'p', name: 'm', params: { ...params } },
  instructions: 'Answer.',
});

describe('a change of the effort', () => {
  it.each([
    [{}, { effort: 'low' }, 'model_effort_gained'],
    [{ effort: 'low' }, { effort: 'high' }, 'model_effort_changed'],
    [{ effort: 'low' }, {}, 'model_effort_lost'],
  ])('from %j to %j is a warning', (before, after, kind) => {
    const { capabilityChanges } = compareDefinitions(agent(before), agent(after));
    const ofEffort = capabilityChanges.filter((change) => change.kind.startsWith('model_effort'));
    expect(ofEffort).toMatchObject([{ kind, severity: 'warning', pointer: '/model/params/effort' }]);
    expect(compareDefinitions(agent(before), agent(before)).capabilityChanges).toEqual([]);
  });
});
