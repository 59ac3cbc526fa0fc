import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

interface ShownRun {
  agent: string;
  agent_name: string;
  status: string;
  waiting: JsonObject | null;
  approvals: { id: string; expires_at: string; console_url: string }[];
  console_url: string;
}

/** Tests each reason for which a run can wait, with real workers and a real tool server. */
describe('a run that waits', () => {
  let scene: Scene;
  let count = 0;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const tool = (): JsonObject => ({
    name: 'tool',
    type: 'http',
    base_url: scene.ledger.url,
    operations: [{ name: 'get', method: 'GET', path: '/work' }],
  });

  const start = async (steps: JsonObject[], more: JsonObject = {}): Promise<string> => {
    const definition = { name: `agent-${++count}`, tools: [tool()], steps, ...more };
    return (await scene.stack.client.startRun(await scene.stack.client.createAgent(definition))).id;
  };

  const shownOf = (id: string) => scene.stack.client.expect<ShownRun>('GET', `/v1/runs/${id}`);
  const listOf = async (query: string) =>
    (await scene.stack.client.expect<{ data: { id: string }[] }>('GET', `/v1/runs?limit=50&${query}`)).data;
  const stepsOf = async (id: string) =>
    (await scene.stack.client.expect<{ steps: JsonObject[] }>('GET', `/v1/runs/${id}/trace`)).steps;
  const waits = (id: string, waiting: unknown) =>
    eventually(async () => expect(await shownOf(id)).toMatchObject({ waiting }));

  it('says that it waits for a time, and until when', async () => {
    const id = await start([{ id: 'pause', wait: { for: '1h' } }]);
    await waits(id, { for: 'time', until: expect.any(String) });
    const { steps } = await scene.stack.client.trace(id);
    expect(await shownOf(id)).toMatchObject({ status: 'queued', waiting: { until: steps[1]!.until } });
    await scene.stack.client.expect('POST', `/v1/runs/${id}/cancel`);
    expect(await shownOf(id)).toMatchObject({ status: 'cancelled', waiting: null });
  });

  it('says that it waits for the next try of a failed call', async () => {
    scene.ledger.always('/work', { status: 503 });
    const id = await start([
      { id: 'work', tool: 'tool.get', retry: { max_attempts: 3, initial: '10m', retry_on: ['tool_error'] } },
    ]);
    await waits(id, { for: 'retry', until: expect.any(String) });
  });

  it('says that it waits for a person, until the approval expires', async () => {
    const approvals = { board: { approvers: ['board'], timeout: '1h' } };
    const id = await start([{ id: 'sign', approval: 'board' }], { approvals });
    await waits(id, { for: 'approval', until: expect.any(String) });
    const run = await shownOf(id);
    const [approval] = run.approvals;
    expect(run).toMatchObject({ status: 'waiting_approval', waiting: { until: approval!.expires_at } });
  });

  it('says that it waits for a run that it has started', async () => {
    const child = { name: `child-${++count}`, steps: [{ id: 'pause', wait: { for: '1h' } }] };
    await scene.stack.client.createAgent(child);
    const tools = [{ name: 'helper', type: 'agent', agent: child.name }];
    const id = await start([{ id: 'help', tool: 'helper.run' }], { tools });
    await waits(id, { for: 'child' });
    const runs = (await listOf(`parent=${id}`)).map((run) => run.id);
    await waits(id, { for: 'child', runs: [{ id: runs[0], agent_name: child.name, status: 'queued', for: 'time' }] });
    expect((await shownOf(id)).waiting).toEqual({ for: 'child', runs: [expect.anything()] });
    expect(await stepsOf(id)).toContainEqual(
      expect.objectContaining({ type: 'tool_call', status: 'pending', child: runs[0], response_summary: '' }),
    );
  });

  it('leads to the question that a run below its child run asks', async () => {
    const ask = {
      to: ['board'],
      title: 'Send it?',
      form: { type: 'object', properties: { yes: { type: 'boolean' } } },
    };
    const names = ['asker', 'middle'].map((name) => `${name}-${++count}`);
    const [asker = '', middle = ''] = names;
    const helper = (agent: string) => ({ tools: [{ name: 'helper', type: 'agent', agent }] });
    await scene.stack.client.createAgent({ name: asker, steps: [{ id: 'sure', ask }] });
    await scene.stack.client.createAgent({
      name: middle,
      ...helper(asker),
      steps: [{ id: 'help', tool: 'helper.run' }],
    });
    const id = await start([{ id: 'help', tool: 'helper.run' }], helper(middle));
    await waits(id, { for: 'child', runs: [{ agent_name: middle, status: 'queued', for: 'child' }] });
    const [below] = await listOf(`parent=${id}`);
    const asks = { agent_name: asker, status: 'waiting_approval', for: 'approval' };
    await waits(below!.id, { for: 'child', runs: [asks] });
    const [asking] = await listOf(`parent=${below!.id}&status=waiting_approval`);
    expect((await shownOf(asking!.id)).approvals).toHaveLength(1);
  });

  it('names at most 20 of the runs that it waits for, the oldest first, and lists all of them', async () => {
    const child = { name: `child-${++count}`, steps: [{ id: 'pause', wait: { for: '1h' } }] };
    await scene.stack.client.createAgent(child);
    const tools = [{ name: 'helper', type: 'agent', agent: child.name, scope: 'read' }];
    const items = Array.from({ length: 22 }, (_, n) => n);
    const each = { for_each: items, max_parallel: 22, steps: [{ id: 'help', tool: 'helper.run' }] };
    const id = await start([{ id: 'all', ...each }], { tools });
    await eventually(async () => expect(await listOf(`parent=${id}`)).toHaveLength(22));
    await waits(id, { for: 'child' });
    const all = (await listOf(`parent=${id}&order=asc`)).map((run) => run.id);
    const { waiting } = await shownOf(id);
    expect((waiting!.runs as { id: string }[]).map((run) => run.id)).toEqual(all.slice(0, 20));
    expect(await listOf(`parent=${id}&status=succeeded`)).toEqual([]);
    expect(await listOf(`parent=${all[0]}`)).toEqual([]);
  });

  it('waits for a worker until one has it, and then for nothing', async () => {
    scene.ledger.always('/work', { hang: true });
    await scene.stack.endWorkers();
    const id = await start([{ id: 'work', tool: 'tool.get' }]);
    expect((await shownOf(id)).waiting).toEqual({ for: 'worker' });
    await scene.stack.addWorker();
    await scene.ledger.called('/work');
    expect(await shownOf(id)).toMatchObject({ status: 'running', waiting: null });
    scene.ledger.release('/work');
  });

  it('has its page in the console, as have its approvals and evaluations, where the service has an address', async () => {
    const approvals = { board: { approvers: ['board'], timeout: '1h' } };
    const cases = [{ name: 'one', input: {}, assert: [{ type: 'status', value: 'waiting_approval' }] }];
    const id = await start([{ id: 'sign', approval: 'board' }], { approvals, evaluation: { cases } });
    await waits(id, { for: 'approval' });
    const run = await shownOf(id);
    const [approval] = run.approvals;
    expect(run.console_url).toBe(`${scene.stack.baseUrl}/console/runs/${id}`);
    expect(approval!.console_url).toBe(`${scene.stack.baseUrl}/console/approvals/${approval!.id}`);
    const path = `/v1/agents/${run.agent}/versions/1/evaluate`;
    const evaluation = await scene.stack.client.expect<{ id: string }>('POST', path);
    expect(evaluation).toMatchObject({
      agent_name: run.agent_name,
      console_url: `${scene.stack.baseUrl}/console/evaluations/${evaluation.id}`,
    });
  });
});
