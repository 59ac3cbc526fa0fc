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
    scene = await Scene.start({ workers: 1, env: { PUBLIC_URL: 'https://agents.example.com/' } });
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
    expect((await shownOf(id)).waiting).toEqual({ for: 'child' });
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
    expect(run.console_url).toBe(`https://agents.example.com/console/runs/${id}`);
    expect(approval!.console_url).toBe(`https://agents.example.com/console/approvals/${approval!.id}`);
    const path = `/v1/agents/${run.agent}/versions/1/evaluate`;
    const evaluation = await scene.stack.client.expect<{ id: string }>('POST', path);
    expect(evaluation).toMatchObject({
      agent_name: run.agent_name,
      console_url: `https://agents.example.com/console/evaluations/${evaluation.id}`,
    });
  });
});
