import { firstAdvice, firstSteps } from './first-steps.js';

const sample = { id: 'agt_1', name: 'definition-reader', latest_version: 1, triggers: [] };
const own = { ...sample, id: 'agt_2', name: 'refund-desk' };
const NONE: Parameters<typeof firstSteps>[0] = { agents: [], models: [], runs: [], decided: [] };
const done = (progress: Partial<typeof NONE>) =>
  firstSteps({ ...NONE, ...progress }).flatMap(({ name, isDone }) => (isDone ? [name] : []));

describe('the first steps in a workspace', () => {
  it('are open beside the sample, and leave out what the caller may not do', () => {
    expect(
      done({ agents: [sample], models: [{ used_by: 0 }], runs: [{ agent_name: sample.name }], members: ['me'] }),
    ).toEqual([]);
    expect(firstSteps(NONE).map(({ name }) => name)).not.toContain('Invite a colleague');
  });

  it('count the first agent of a workspace without the sample', () => {
    expect(done({ agents: [own] })).toEqual(['Create an agent']);
  });

  it('lead to the guides where no page of the console does the step', () => {
    const paths = firstSteps(NONE).map(({ path }) => path);
    expect(paths).toEqual(['/agents/new', '/agents', '/approvals', '/docs/guides/models', '/docs/guides/triggers']);
    expect(firstSteps({ ...NONE, agents: [sample, own] })[1]?.path).toBe('/agents/agt_2');
  });

  it('are done one by one', () => {
    const changed = { ...sample, latest_version: 2, triggers: ['webhook'] };
    const runs = [{ agent_name: 'refund-desk' }];
    expect(
      done({ agents: [changed], models: [{ used_by: 1 }], members: ['me', 'you'], runs, decided: ['apr_1'] }),
    ).toEqual([
      'Create an agent',
      'Run it',
      'Decide an approval',
      'Use a model',
      'Let it start by itself',
      'Invite a colleague',
    ]);
  });
});

describe('the advice to a new person', () => {
  const MAY = { mayRun: true, mayCreate: true, hasAgent: true, hasRun: false, hasEnded: false };

  it.each([
    [MAY, 'test'],
    [{ ...MAY, hasRun: true }, 'production'],
    [{ ...MAY, hasRun: true, hasEnded: true }, 'create'],
    [{ ...MAY, hasRun: true, hasEnded: true, mayCreate: false }, 'look'],
    [{ ...MAY, mayRun: false }, 'look'],
    [{ ...MAY, hasAgent: false }, 'create'],
    [{ ...MAY, hasAgent: false, mayCreate: false }, 'wait'],
  ])('names what the person may do next: %j is %s', (situation, advice) => {
    expect(firstAdvice(situation)).toBe(advice);
  });
});
