import { firstSteps } from './first-steps.js';

const sample = { name: 'definition-reader', latest_version: 1, triggers: [] };
const done = (progress: Parameters<typeof firstSteps>[0]) =>
  firstSteps(progress).flatMap(({ name, isDone }) => (isDone ? [name] : []));

describe('the first steps in a workspace', () => {
  it('are open beside the sample, and leave out what the caller may not do', () => {
    expect(done({ agents: [sample], models: [{ used_by: 0 }], members: ['me'] })).toEqual([]);
    expect(firstSteps({ agents: [], models: [] }).map(({ name }) => name)).not.toContain('Invite a colleague');
  });

  it('count the first agent of a workspace without the sample', () => {
    expect(done({ agents: [{ ...sample, name: 'refund-desk' }], models: [] })).toEqual(['Create an agent']);
  });

  it('lead to the guides where no page of the console does the step', () => {
    const paths = firstSteps({ agents: [], models: [] }).map(({ path }) => path);
    expect(paths).toEqual(['/agents/new', '/docs/guides/models', '/docs/guides/triggers']);
  });

  it('are done one by one', () => {
    const changed = { ...sample, latest_version: 2, triggers: ['webhook'] };
    expect(done({ agents: [changed], models: [{ used_by: 1 }], members: ['me', 'you'] })).toEqual([
      'Create an agent',
      'Use a model',
      'Let it start by itself',
      'Invite a colleague',
    ]);
  });
});
