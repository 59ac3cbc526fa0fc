import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface RunPlan {
  run: string;
  steps: { step: string; done: number; failed: number; skipped: number; conditions: JsonObject[] }[];
  complete: boolean;
  redacted: boolean;
}

describe('the decisions of a run', () => {
  let scene: Scene;
  let agents = 0;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const read = (id: string, more: JsonObject = {}): JsonObject => ({
    id,
    tool: 'tool.read',
    with: { place: id },
    ...more,
  });

  async function anEndedRun(steps: JsonObject[], input: JsonObject, more: JsonObject = {}): Promise<string> {
    const base = aToolAgent(`decided-${++agents}`, scene.ledger.url, []);
    const agent = await scene.stack.client.createAgent({ ...base, steps, ...more });
    const { id } = await scene.stack.client.startRun(agent, input);
    await eventually(async () => expect((await scene.stack.client.run(id)).ended_at).not.toBeNull());
    return id;
  }

  const planOf = (id: string) => scene.stack.client.expect<RunPlan>('GET', `/v1/runs/${id}/plan`);
  const at = ({ steps }: RunPlan, step: string) => steps.find((each) => each.step === step);

  const ROUTE: JsonObject = {
    id: 'route',
    switch: [
      { when: 'steps.order.output.total > 100.0', steps: [read('large')] },
      { when: 'steps.order.output.total > 10.0 && input.vip', steps: [read('gift')] },
      { steps: [read('small')] },
    ],
  };

  it('are the results of the conditions, with the values that they read', async () => {
    scene.ledger.always('/order', { body: { total: 40 } });
    const lines = { id: 'lines', for_each: '${{ [1, 2, 3] }}', as: 'n', steps: [read('line', { if: 'n > 1' })] };
    const id = await anEndedRun([read('order'), { id: 'facts', let: { a: 1 } }, ROUTE, lines], { vip: false });
    const plan = await planOf(id);
    expect(plan).toMatchObject({ run: id, complete: true, redacted: false });
    const total = { 'steps.order.output.total': 40 };
    const no = { true_count: 0, false_count: 1, holds: false };
    expect(at(plan, 'route')).toMatchObject({
      done: 1,
      conditions: [
        { key: 'when', branch: 0, expression: 'steps.order.output.total > 100.0', ...no, values: total },
        { key: 'when', branch: 1, ...no, values: { ...total, 'input.vip': false } },
      ],
    });
    expect(at(plan, 'facts')).toMatchObject({ done: 1, skipped: 0, conditions: [] });
    expect(at(plan, 'small')).toMatchObject({ done: 1 });
    expect(at(plan, 'large')).toBeUndefined();
    expect(at(plan, 'line')).toMatchObject({
      ...{ done: 2, skipped: 1 },
      conditions: [{ key: 'if', true_count: 2, false_count: 1, holds: true, values: { n: 3 } }],
    });
  });

  it('have values without secrets of the definition, also where a step computed them', async () => {
    const steps: JsonObject[] = [
      { id: 'account', let: { iban: "${{ 'DE00' + input.number }}" } },
      { id: 'pay', if: 'steps.account.output.iban != "" && input.number != ""', output: { done: true } },
    ];
    const hidden = await planOf(
      await anEndedRun(steps, { number: '1234567' }, { redact: { paths: ['input.number'] } }),
    );
    expect(at(hidden, 'pay')).toMatchObject({ done: 1 });
    expect(JSON.stringify(hidden)).not.toContain('1234567');
    expect(JSON.stringify(hidden)).toContain('[redacted]');
    const paths = ['steps.account.output.iban'];
    const plan = await planOf(await anEndedRun(steps, { number: '1234567' }, { redact: { paths } }));
    expect(plan.redacted).toBe(true);
    expect(at(plan, 'pay')).toMatchObject({ conditions: [{ holds: true, values: {} }] });
  });

  it('end where the run failed, waits or was cancelled', async () => {
    const failed = await planOf(await anEndedRun([{ id: 'check', assert: 'input.n > 1.0' }, read('after')], { n: 1 }));
    expect(failed.steps).toMatchObject([
      { step: 'check', done: 0, failed: 1, conditions: [{ key: 'assert', holds: false, values: { 'input.n': 1 } }] },
    ]);
    const agent = await scene.stack.client.createAgent({
      ...aToolAgent(`decided-${++agents}`, scene.ledger.url, []),
      steps: [read('first'), { id: 'pause', wait: { for: '1h' } }, read('second', { if: 'true' })],
      on_failure: [{ id: 'told', let: { who: 'ann' } }],
    });
    const { id } = await scene.stack.client.startRun(agent);
    await eventually(async () => expect(await planOf(id)).toMatchObject({ steps: [{ step: 'first', done: 1 }] }));
    await scene.stack.client.expect('POST', `/v1/runs/${id}/cancel`, {});
    const { steps } = await planOf(id);
    expect(steps.map(({ step }) => step)).toEqual(['first']);
  });

  it.each(['fail', 'hand_off', 'continue'])('of an agent with on_reject %s are those of the run', async (rule) => {
    const { member } = await scene.stack.client.expect<{ member: string }>('GET', '/v1/me');
    await scene.stack.client.expect('POST', '/v1/groups', { name: `bosses-${rule}`, members: [member] });
    const agent = await scene.stack.client.createAgent({
      ...aToolAgent(`decided-${++agents}`, scene.ledger.url, [['write', '/pay']]),
      approvals: { boss: { approvers: [`bosses-${rule}`], self_approval: true, on_reject: rule } },
      policies: [{ name: 'asks', when: 'tool.name == "tool.write"', action: 'require_approval', approval: 'boss' }],
    });
    const { id } = await scene.stack.client.startRun(agent);
    const [approval] = await eventually(async () => {
      const { approvals } = await scene.stack.client.expect<{ approvals: { id: string }[] }>('GET', `/v1/runs/${id}`);
      expect(approvals).toHaveLength(1);
      return approvals;
    });
    await scene.stack.client.expect('POST', `/v1/runs/${id}/approvals/${approval?.id}`, { decision: 'reject' });
    await eventually(async () => expect((await scene.stack.client.run(id)).ended_at).not.toBeNull());
    const { steps } = await planOf(id);
    const refused = [
      { step: 'call1', done: 0, failed: 1 },
      { step: 'result', done: 1 },
    ];
    expect(steps).toMatchObject(rule === 'continue' ? refused : []);
  });
});
