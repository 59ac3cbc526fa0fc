import { agentNames, refusalOfAuthorisation } from './connection-list.js';

const AGENTS = [{ id: 'agt_01kahzvk3te9d8q6f0f1v3m2sx', name: 'desk' }];

describe('the agents of a connection', () => {
  it('are shown by name', () => {
    const granted = ['agt_01kahzvk3te9d8q6f0f1v3m2sx', 'name:later', 'agt_unknown'];
    expect(agentNames(granted, AGENTS)).toEqual(['desk', 'later', 'agt_unknown']);
  });
});

it('an error code in the address is explained, also an unknown one', () => {
  expect(refusalOfAuthorisation('invalid_request').remedy).toContain('Authorise');
  expect(refusalOfAuthorisation('toString').detail).toContain('toString');
});
