import type { TraceStep } from '../data/api.js';
import { planOf, type PlanNode } from '../plan/definition-plan.js';
import { listedRounds, planStates, type RunPlan, traceByNode } from './plan-state.js';

type Row = [
  path: string,
  status?: string,
  more?: Partial<Record<keyof TraceStep | 'tool' | 'knowledge_bases', unknown>>,
];

const trace = (...rows: Row[]): TraceStep[] =>
  rows.map(
    ([path, status = 'succeeded', more], at) =>
      ({ n: at + 2, id: `run_1.${at + 2}`, type: 'tool_call', path, status, ...more }) as TraceStep,
  );

function lines(definition: unknown, steps: readonly TraceStep[], plan?: RunPlan, selected = ''): string[] {
  const groups = planOf(definition);
  const states = planStates(groups, traceByNode(steps), { plan, selected });
  const below = (nodes: readonly PlanNode[]): string[] =>
    nodes.flatMap((node) => {
      const { status, count, n, decisions } = states.get(node)!;
      const results = decisions.map(({ key, holds }) => ` ${key} ${holds}`).join('');
      return [`${node.name} ${status} ${count} ${n ?? '-'}${results}`, ...below(node.children)];
    });
  return groups.flatMap(({ nodes }) => below(nodes));
}

describe('the plan of a run', () => {
  it('lights the steps, branches and loops that have steps in the trace', () => {
    const steps = [
      { id: 'order', tool: 'shop.order' },
      {
        id: 'route',
        switch: [
          { when: 'a', steps: [{ id: 'big', tool: 'shop.pay' }] },
          { steps: [{ id: 'small', tool: 'shop.pay' }] },
        ],
      },
      { id: 'lines', for_each: '${{ x }}', steps: [{ id: 'check', assert: 'true' }] },
      { id: 'result', output: {} },
    ];
    const all = trace(['order'], ['small', 'simulated'], ['lines[0].check'], ['lines[1].check', 'failed']);
    expect(lines({ steps }, all)).toEqual([
      'order succeeded 1 2',
      'route simulated 0 3',
      'when a none 0 -',
      'big none 0 -',
      'otherwise simulated 0 3',
      'small simulated 1 3',
      'lines failed 2 5',
      'check failed 1 5',
      'result none 0 -',
    ]);
  });

  it('has the status of the last attempt, and of a call rather than of its approval', () => {
    const steps = [
      { id: 'read', tool: 'svc.read' },
      { id: 'pay', tool: 'svc.pay' },
      { id: 'sign', approval: 'boss' },
    ];
    const all = trace(
      ['read', 'failed'],
      ['read#retry', 'succeeded', { type: 'retry' }],
      ['read', 'running'],
      ['pay', 'awaiting_approval'],
      ['pay#approval', 'open', { type: 'approval' }],
      ['sign', 'approved', { type: 'approval' }],
    );
    expect(lines({ steps }, all)).toEqual(['read running 1 4', 'pay awaiting_approval 1 5', 'sign approved 1 7']);
  });

  it('counts the turns of a model, and the calls of each of its tools', () => {
    const all = trace(
      ['turn[1]', 'succeeded', { type: 'model_call' }],
      ['turn[1].call[1]', 'succeeded', { tool: 'shop.look' }],
      ['turn[1].call[2]', 'denied', { tool: 'shop.pay' }],
      ['turn[2]', 'succeeded', { type: 'model_call' }],
      ['turn[2].call[1]', 'succeeded', { tool: 'shop.look' }],
    );
    const tools = [{ name: 'shop', operations: [{ name: 'look' }, { name: 'pay' }, { name: 'close' }] }];
    expect(lines({ model: 'openai/m', tools }, all)).toEqual([
      'openai/m succeeded 2 5',
      'shop.look succeeded 2 6',
      'shop.pay denied 1 4',
      'shop.close none 0 -',
    ]);
    const searched = trace(
      ['knowledge[1]', 'succeeded', { type: 'retrieval', knowledge_bases: ['laws'] }],
      ['turn[1].call[1]', 'succeeded', { type: 'retrieval', knowledge_bases: ['handbook'] }],
    );
    const knowledge = [{ base: 'handbook' }, { base: 'laws' }, { base: 'prices' }];
    expect(lines({ model: 'openai/m', knowledge }, searched)).toEqual([
      'openai/m none 0 -',
      'handbook succeeded 1 3',
      'laws succeeded 1 2',
      'prices none 0 -',
    ]);
    const asked = { type: 'model_call' };
    const turns = trace(
      ['triage.turn[1]', 'succeeded', asked],
      ['triage.turn[1].call[1]'],
      ['triage.turn[2]', 'succeeded', asked],
    );
    const steps = [{ id: 'triage', agent: { instructions: 'Look.' } }];
    expect(lines({ steps }, turns)).toEqual(['triage succeeded 2 4']);
  });

  it('shows the round of a loop that failed, the last one, or that of the selected step', () => {
    const inner = { id: 'lines', for_each: '${{ y }}', steps: [{ id: 'check', tool: 'svc.check' }] };
    const steps = [{ id: 'orders', for_each: '${{ x }}', steps: [{ id: 'read', tool: 'svc.read' }, inner] }];
    const all = trace(
      ['orders[0].read'],
      ['orders[0].lines[0].check', 'failed'],
      ['orders[0].lines[1].check'],
      ['orders[1].read'],
      ['orders[1].lines[0].check'],
      ['orders[1].lines[1].check'],
    );
    const failed = ['orders failed 2 3', 'read succeeded 1 2', 'lines failed 2 3', 'check failed 1 3'];
    expect(lines({ steps }, all)).toEqual(failed);
    expect(lines({ steps }, all, undefined, 'orders[0].lines[1].check')).toEqual([
      ...failed.slice(0, 3),
      'check succeeded 1 4',
    ]);
    expect(lines({ steps }, all, undefined, 'orders[1].read')).toEqual([
      'orders failed 2 3',
      'read succeeded 1 5',
      'lines succeeded 2 7',
      'check succeeded 1 7',
    ]);
  });

  it('lists all rounds of a short loop, and of a long one those near the shown one and those that failed', () => {
    const rounds = (count: number) =>
      new Map(Array.from({ length: count }, (_, n) => [n, { n, status: n % 1_000 === 7 ? 'failed' : 'succeeded' }]));
    const numbers = (count: number, shown: number) => listedRounds(rounds(count), shown).map(([round]) => round);
    expect(numbers(3, 2)).toEqual([0, 1, 2]);
    const listed = numbers(3_000, 1_500);
    expect([listed.length, listed.slice(0, 3), listed.at(-1)]).toEqual([204, [7, 1_007, 1_400], 2_007]);
  });

  it('has the results of conditions, and the steps that the trace does not record', () => {
    const decided = (step: string, counts: object, ...conditions: object[]): object => ({
      ...{ step, done: 0, failed: 0, skipped: 0 },
      ...counts,
      conditions,
    });
    const when = (branch: number, holds: boolean): object => ({ key: 'when', branch, holds });
    const plan = {
      steps: [
        decided('facts', { done: 2 }),
        decided('route', { done: 1 }, when(0, false), when(1, true)),
        decided('note', { skipped: 1 }, { key: 'if', holds: false }),
      ],
    } as RunPlan;
    const steps = [
      { id: 'facts', let: {} },
      {
        id: 'route',
        switch: [
          { when: 'a', steps: [{ id: 'big', tool: 'svc.pay' }] },
          { when: 'b', steps: [{ id: 'small', tool: 'svc.pay' }] },
        ],
      },
      { id: 'note', if: 'c', tool: 'svc.note' },
    ];
    expect(lines({ steps }, trace(['small']), plan)).toEqual([
      'facts succeeded 2 -',
      'route succeeded 0 2',
      'when a none 0 - when false',
      'big none 0 -',
      'when b succeeded 0 2 when true',
      'small succeeded 1 2',
      'note skipped 0 - if false',
    ]);
  });
});
