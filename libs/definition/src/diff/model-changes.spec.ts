import { compareDefinitions } from './compare-definitions.js';

const agent = (params: object, more: object = {}) => ({
  name: 'a',
  model: { provider: 'p', name: 'm', params: { ...params }, ...more },
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

describe('a change of how the model sees files', () => {
  it.each([
    [{ files: 'off' }, { files: 'auto' }, 'warning', '/model/files', ['off', 'auto']],
    [{ files: 'text' }, {}, 'warning', '/model', ['text', 'auto']],
    [{ files: 'off' }, { files: 'text' }, 'warning', '/model/files', ['off', 'text']],
    [{}, { files: 'text' }, 'info', '/model/files', ['auto', 'text']],
  ])('from %j to %j has the severity %s', (one, other, severity, pointer, [before, after]) => {
    const { capabilityChanges } = compareDefinitions(agent({}, one), agent({}, other));
    const ofFiles = capabilityChanges.filter(({ kind }) => kind === 'model_files_changed');
    expect(ofFiles).toMatchObject([{ severity, pointer, before, after }]);
  });

  it('is none if the default is written, or if the agent has no model', () => {
    const kinds = (one: object, other: object) =>
      compareDefinitions({ ...one }, { ...other }).capabilityChanges.map(({ kind }) => kind);
    expect(kinds(agent({}), agent({}, { files: 'auto' }))).not.toContain('model_files_changed');
    const plan = { name: 'a', steps: [{ id: 'done', output: { ok: true } }] };
    expect(kinds(plan, agent({}, { files: 'auto' }))).not.toContain('model_files_changed');
  });
});
