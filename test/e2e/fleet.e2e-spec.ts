import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

const RUNS = 60;
/** Default of WORKER_CONCURRENCY. */
const SLOTS = 16;

describe('a fleet of workers', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const endsAs = (id: string, status: string) =>
    eventually(async () => expect((await scene.stack.client.run(id)).status).toBe(status));

  it('releases a run between two steps when its worker is asked to stop', async () => {
    const agent = await scene.stack.client.createAgent(
      aToolAgent('handed-over', scene.ledger.url, [
        ['write', '/first'],
        ['write', '/second'],
      ]),
    );
    scene.ledger.script('/first', { hang: true });
    const ending = (await scene.haveWorkers())[0]!;
    const { id } = await scene.stack.client.startRun(agent);
    await scene.ledger.called('/first');
    const ended = ending.stop();
    await eventually(async () => expect(await ending.log()).toContain('worker: shutting down'));
    scene.ledger.release('/first');
    await ended;
    expect(scene.ledger.callsOf('/second')).toEqual([]);
    expect(await scene.stack.client.run(id)).toMatchObject({ status: 'queued' });

    await scene.haveWorkers();
    await endsAs(id, 'succeeded');
    expect(scene.ledger.callsOf('/first')).toHaveLength(1);
    expect(scene.ledger.callsOf('/second')).toHaveLength(1);
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.filter((step) => step.type === 'tool_call').map((step) => step.status)).toEqual([
      'succeeded',
      'succeeded',
    ]);
  });

  it('hangs up on the tool when a running run is cancelled, and begins nothing further for it', async () => {
    const agent = await scene.stack.client.createAgent(
      aToolAgent('cancelled-late', scene.ledger.url, [
        ['read', '/slow'],
        ['write', '/after'],
      ]),
    );
    scene.ledger.script('/slow', { hang: true });
    await scene.haveWorkers();
    const { id } = await scene.stack.client.startRun(agent);
    const [call] = await scene.ledger.called('/slow');
    expect(await scene.stack.client.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await scene.stack.client.call('POST', `/v1/runs/${id}/cancel`, {})).toMatchObject({ status: 200 });

    await eventually(() => expect(call?.state).toBe('aborted'));
    await eventually(async () => {
      const { steps } = await scene.stack.client.trace(id);
      expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'trigger succeeded',
        'tool_call cancelled',
        'cancelled succeeded',
      ]);
    });
    expect(scene.ledger.callsOf('/after')).toEqual([]);
    expect(await scene.stack.client.run(id)).toMatchObject({ status: 'cancelled', output: null });
  });

  it('reports an unknown outcome for a write that was under way when its run was cancelled', async () => {
    const calls: Parameters<typeof aToolAgent>[2] = [
      ['write', '/pay'],
      ['write', '/after'],
    ];
    const agent = await scene.stack.client.createAgent(aToolAgent('cancelled-write', scene.ledger.url, calls));
    scene.ledger.script('/pay', { hang: true });
    await scene.haveWorkers();
    const { id } = await scene.stack.client.startRun(agent);
    const [call] = await scene.ledger.called('/pay');
    await scene.stack.client.cancel(id);
    await eventually(() => expect(call?.state).toBe('aborted'));
    await eventually(async () => {
      const { steps } = await scene.stack.client.trace(id);
      expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'trigger succeeded',
        'tool_call in_doubt',
        'cancelled succeeded',
      ]);
    });
    expect(await scene.stack.client.run(id)).toMatchObject({ status: 'cancelled', approvals: [] });
    expect(scene.ledger.calls).toHaveLength(1);
  });

  it('carries out a run whose job was lost', async () => {
    await scene.stack.endWorkers();
    const agent = await scene.stack.client.createAgent(aToolAgent('deaf', scene.ledger.url, [['read', '/deaf']]));
    const { id } = await scene.stack.client.startRun(agent);
    await scene.stack.client.cancel(id);
    const copy = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await scene.stack.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, wake_at)
         select $2, workspace_id, agent_id, version, mode, trigger, input, currency, clock_timestamp() from runs where id = $1`,
      [id, copy],
    );
    await scene.haveWorkers();
    await endsAs(copy, 'succeeded');
    expect(scene.ledger.callsOf('/deaf').map((call) => call.run)).toEqual([copy]);
  });

  it('never executes a run that was cancelled while it was queued', async () => {
    await scene.stack.endWorkers();
    const agent = await scene.stack.client.createAgent(
      aToolAgent('cancelled-early', scene.ledger.url, [['read', '/early']]),
    );
    const cancelled = await scene.stack.client.startRun(agent);
    expect(await scene.stack.client.cancel(cancelled.id)).toMatchObject({ status: 'cancelled' });
    const other = await scene.stack.client.startRun(agent);
    await scene.haveWorkers();
    await endsAs(other.id, 'succeeded');
    expect(scene.ledger.calls.map((call) => call.run)).toEqual([other.id]);
    expect(await scene.stack.client.run(cancelled.id)).toMatchObject({ status: 'cancelled', output: null });
  });

  it(`executes each of ${RUNS} runs exactly once`, async () => {
    const agent = await scene.stack.client.createAgent(aToolAgent('once', scene.ledger.url, [['write', '/once']]));
    scene.ledger.always('/once', { hang: true });
    await scene.haveWorkers(3);
    const runs = await Promise.all(Array.from({ length: RUNS }, () => scene.stack.client.startRun(agent)));
    // More calls wait for their answers than one worker can make, so several workers share the runs.
    await scene.ledger.called('/once', SLOTS + 1);
    scene.ledger.always('/once', {});
    scene.ledger.release('/once');
    await eventually(async () => {
      const open = `select from runs where agent_id = $1 and status <> 'succeeded'`;
      expect(await scene.stack.query(open, [agent])).toEqual([]);
    });

    expect(
      scene.ledger
        .callsOf('/once')
        .map((call) => call.run)
        .sort(),
    ).toEqual(runs.map(({ id }) => id).sort());
    const [{ claims, events } = {}] = await scene.stack.query<{ claims: string; events: string }>(
      `select sum(attempt) as claims, (select count(*) from events e join runs r on r.id = e.run_id where r.agent_id = $1) as events
         from runs where agent_id = $1`,
      [agent],
    );
    expect([Number(claims), Number(events)]).toEqual([RUNS, RUNS]);
  });
});
