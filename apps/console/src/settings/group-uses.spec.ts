import { groupTasks } from './group-uses.js';

describe('the uses of a group in a definition', () => {
  const definition = {
    approvals: { refund: { approvers: ['finance', 'leads'] }, legal: { approvers: ['lawyers'] } },
    hand_off: { to: ['support'] },
    steps: [
      { id: 'send', call: 'mail.send', with: { to: ['drafts'] } },
      {
        id: 'each',
        for_each: '${{ input.orders }}',
        steps: [{ id: 'sure', ask: { to: ['leads'], question: 'Sure?' } }],
      },
      { id: 'both', parallel: { one: [{ id: 'give', hand_off: { to: 'desk' } }] } },
    ],
    on_failure: [{ id: 'help', hand_off: { to: ['support'] } }],
  };

  it.each([
    ['finance', ['decides approvals']],
    ['leads', ['decides approvals', 'answers questions']],
    ['support', ['takes over runs']],
    ['desk', ['takes over runs']],
    ['drafts', []],
  ])('%s: %j', (group, tasks) => {
    expect(groupTasks(definition, group)).toEqual(tasks);
  });

  it('are none in what is no definition', () => {
    expect(groupTasks(null, 'finance')).toEqual([]);
  });
});
