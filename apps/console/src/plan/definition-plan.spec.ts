import { planOf, type PlanNode } from './definition-plan.js';

function lines(nodes: readonly PlanNode[], depth = 0): string[] {
  return nodes.flatMap(({ kind, name, detail, notes, children }) => [
    [' '.repeat(depth * 2) + kind, name, detail, ...notes].filter((text) => text !== '').join(' | '),
    ...lines(children, depth + 1),
  ]);
}

describe('the picture of a plan', () => {
  it('has steps, branches, loops and approvals, each inside of its block', () => {
    const groups = planOf({
      policies: [{ name: 'big', when: 'tool.name == "erp.pay"', action: 'require_approval', approval: 'ap' }],
      steps: [
        { id: 'invoice', tool: 'erp.get', retry: { max_attempts: 4 } },
        {
          id: 'route',
          switch: [
            { when: 'x > 1.0', steps: [{ id: 'sign', approval: 'ap' }] },
            { steps: [{ id: 'stop', hand_off: { to: ['a', 'b'] } }] },
          ],
        },
        { id: 'lines', for_each: '${{ input.lines }}', steps: [{ id: 'check', assert: 'line.ok' }] },
        { id: 'pay', tool: 'erp.pay', if: 'true' },
        { id: 'both', parallel: [{ steps: [{ id: 'pause', wait: { for: '5m' } }] }] },
      ],
      on_failure: [{ id: 'alarm', tool: 'notify.send' }],
    });
    expect(groups.map(({ title }) => title)).toEqual(['Plan', 'If the run fails']);
    expect(lines(groups[0]?.nodes ?? [])).toEqual([
      'tool | invoice | erp.get | tried up to 4 times',
      'switch | route',
      '  branch | when x > 1.0',
      '    approval | sign | ap',
      '  branch | otherwise',
      '    hand_off | stop | a, b',
      'for_each | lines | ${{ input.lines }}',
      '  assert | check | line.ok',
      'tool | pay | erp.pay | if true | big: may wait for the approval ap',
      'parallel | both',
      '  branch | at the same time, 1',
      '    wait | pause | 5m',
    ]);
  });

  it('has the tools of an agent that a model drives, and what starts it', () => {
    const groups = planOf({
      model: { provider: 'openai', name: 'gpt-6.1-terra' },
      knowledge: [{ base: 'handbook', mode: 'always' }],
      tools: [
        { name: 'orders', operations: [{ name: 'get' }] },
        { name: 'mail', include: ['send'] },
        { name: 'report' },
      ],
      triggers: [{ id: 'inbox', type: 'email.received', mailbox: 'a@example.com' }],
    });
    expect(groups.flatMap(({ nodes }) => lines(nodes))).toEqual([
      'trigger | inbox | email.received a@example.com',
      'agent | openai/gpt-6.1-terra',
      '  retrieve | handbook | before the first turn',
      '  tool | orders.get',
      '  tool | mail.send',
      '  tool | report',
    ]);
  });

  it('leaves out what is not written yet', () => {
    expect(planOf(undefined)).toEqual([]);
    expect(planOf({ steps: 'soon' })).toEqual([]);
    expect(lines(planOf({ steps: [null, { id: 'a' }] })[0]?.nodes ?? [])).toEqual(['step', 'step | a']);
  });
});
