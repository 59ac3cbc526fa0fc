import { needsOf } from './definition-needs.js';

describe('what an example needs', () => {
  it('lists models, tools, secrets, connections, knowledge bases and groups once', () => {
    const definition = {
      model: { provider: 'a', name: 'm-1' },
      knowledge: [{ base: 'handbook' }],
      tools: [
        { name: 'shop', auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' } },
        { name: 'sheets', auth: { type: 'oauth2', connection: 'google' } },
        { name: 'mail', type: 'email', to: ['ops@example.com'] },
      ],
      approvals: { large: { approvers: ['finance'] } },
      steps: [
        { id: 'a', retrieve: { base: 'handbook' } },
        { id: 'b', hand_off: { to: ['finance', 'legal'] } },
        { id: 'd', ask: { to: ['support'], form: { properties: { to: { enum: ['nobody'] } } } } },
        { id: 'c', tool: 'mail.send', with: { to: ['someone'], base: 'other' } },
      ],
    };
    expect(needsOf(definition, JSON.stringify(definition))).toEqual({
      models: ['m-1'],
      tools: ['shop', 'sheets', 'mail'],
      secrets: ['TOKEN'],
      connections: ['google'],
      bases: ['handbook'],
      groups: ['finance', 'support', 'legal'],
    });
  });

  it('lists nothing for a plan without a model, tools and people', () => {
    const needs = needsOf({ name: 'x', steps: [{ id: 'a', output: 1 }] }, 'name: x');
    expect(Object.values(needs).flat()).toEqual([]);
  });
});
