import { connectionProblem, grantedAgents, refusalOfAuthorisation } from './connection-list.js';

const AGENTS = [{ id: 'agt_01kahzvk3te9d8q6f0f1v3m2sx', name: 'desk' }];

describe('the agents of a connection', () => {
  it('are shown by name, with the ids of those that exist', () => {
    const [desk] = AGENTS;
    const granted = [desk?.id ?? '', 'name:desk', 'name:later', 'agt_unknown'];
    const unknown = { id: 'agt_unknown', name: 'agt_unknown' };
    expect(grantedAgents(granted, AGENTS)).toEqual([desk, desk, { name: 'later' }, unknown]);
  });
});

it.each([
  ['pending', null, 'No person has granted', 'Grant it now.'],
  ['expired', 'authorization_revoked', 'Wiki no longer accepts', 'A person must grant it again.'],
  ['active', 'token_refused', 'could not be renewed', 'The next call tries again.'],
  ['active', null, undefined, undefined],
])('a connection that is %s with the error %s says what to do', (status, code, detail, remedy) => {
  const error = code === null ? null : { code, message: 'invalid_grant', at: null };
  const problem = connectionProblem({ status, error } as Parameters<typeof connectionProblem>[0], 'Wiki');
  expect(problem?.detail ?? '').toContain(detail ?? '');
  expect(problem === undefined).toBe(remedy === undefined);
  expect(problem?.remedy ?? '').toContain(remedy ?? '');
});

it('an error code in the address is explained, also an unknown one', () => {
  expect(refusalOfAuthorisation('invalid_request').remedy).toContain('Authorise');
  expect(refusalOfAuthorisation('toString').detail).toContain('toString');
});
