import { eventually } from '../support/eventually.js';
import type { LedgerCall } from '../support/ledger.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface Stopped {
  status: string;
  epoch: number;
  stopped_at: string;
  stopped_by: string;
  reason: string | null;
  runs: { queued: number; running: number; waiting_approval: number };
  in_flight: { run: string; n: number; tool: string; scope: string; started_at: string; status: string }[];
}

/** Default of WORKER_CONCURRENCY. */
const SLOTS = 16;
const CYCLES = 4;
/** Number of runs that the test starts before each stop. */
const LOAD = 24;
/**
 * Maximum delay in milliseconds with which the tool server notices a closed connection. The tool server shares a
 * process with the test.
 */
const READING_DELAY_MS = 150;

describe('an emergency stop of a fleet', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(async () => {
    // If a test has failed between stop and resume, the workspace is still stopped.
    await resume();
    scene.ledger.reset();
  });
  afterAll(() => scene.stop());

  const stop = (body: { drain_timeout_ms?: number; runs?: string; reason?: string } = {}) =>
    scene.stack.client.expect<Stopped>('POST', '/v1/workspace/emergency-stop', body);
  const resume = (body: { queued_runs?: string } = {}) =>
    scene.stack.client.expect<{ status: string; epoch: number }>('POST', '/v1/workspace/resume', body);
  const statusOf = async (id: string) => (await scene.stack.client.run(id)).status;
  const becomes = (id: string, status: string) =>
    eventually(async () => expect([id, await statusOf(id)]).toEqual([id, status]));
  const callsOf = async (id: string) => {
    const { steps } = await scene.stack.client.trace(id);
    const calls = steps.filter(({ type }) => type === 'tool_call');
    return calls.map(({ try: tried, status }) => `try ${tried ?? ''} ${status}`);
  };

  it('lets calls under way end by themselves, and answers as soon as they have', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(
      aToolAgent('drained', scene.ledger.url, [
        ['write', '/charge'],
        ['read', '/after'],
      ]),
    );
    scene.ledger.script('/charge', { hang: true });
    await scene.haveWorkers();
    const { id } = await client.startRun(agent);
    await scene.ledger.called('/charge');
    const stopping = stop({ drain_timeout_ms: 20_000 });
    await eventually(async () =>
      expect(await client.expect('GET', '/v1/workspace')).toMatchObject({
        status: 'stopped',
        in_flight: [{ run: id, n: 2, tool: 'tool.write', status: 'running' }],
      }),
    );
    scene.ledger.release('/charge');
    expect(await stopping).toMatchObject({ in_flight: [], runs: { queued: 1 } });
    expect(await callsOf(id)).toEqual(['try 1 succeeded']);
    expect(scene.ledger.callsOf('/after')).toEqual([]);
    expect(await client.expect('GET', '/v1/workspace')).toMatchObject({ in_flight: [] });
    await resume();
    await becomes(id, 'succeeded');
  });

  it('breaks calls off that do not end in time: a read is made again after the resume, a write that may have happened becomes a question', async () => {
    const { client } = scene.stack;
    const reader = await client.createAgent(aToolAgent('reader', scene.ledger.url, [['read', '/slow']]));
    const payer = await client.createAgent(aToolAgent('payer', scene.ledger.url, [['write', '/pay']]));
    scene.ledger.script('/slow', { hang: true });
    scene.ledger.script('/pay', { hang: true });
    await scene.haveWorkers();
    const [read, paid] = [(await client.startRun(reader)).id, (await client.startRun(payer)).id];
    const [slow] = await scene.ledger.called('/slow');
    const [pay] = await scene.ledger.called('/pay');

    // The tool responds to neither of the two calls, so both calls end only because of the stop.
    const stopped = await stop({ reason: 'smoke', drain_timeout_ms: 200 });
    expect(stopped).toMatchObject({
      status: 'stopped',
      stopped_by: 'admin@example.com',
      reason: 'smoke',
      runs: { running: 0, waiting_approval: 0 },
    });
    // The outcome of both calls is unknown, because their tool had received them and did not respond.
    expect(stopped.in_flight).toHaveLength(2);
    expect(stopped.in_flight).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ run: read, n: 2, tool: 'tool.read', status: 'cancelled' }),
        expect.objectContaining({ run: paid, n: 2, tool: 'tool.write', status: 'in_doubt' }),
      ]),
    );
    await eventually(() => expect([slow?.state, pay?.state]).toEqual(['aborted', 'aborted']));
    expect(await callsOf(read)).toEqual(['try 1 cancelled']);
    expect(await callsOf(paid)).toEqual(['try 1 in_doubt']);
    expect([await statusOf(read), await statusOf(paid)]).toEqual(['queued', 'queued']);

    await resume();
    await becomes(read, 'succeeded');
    await becomes(paid, 'waiting_approval');
    expect(await callsOf(read)).toEqual(['try 1 cancelled', 'try 2 succeeded']);
    const { steps: told } = await client.trace(read);
    expect(told.map(({ type }) => type)).toEqual([
      'trigger',
      'tool_call',
      'stopped',
      'resumed',
      'retry',
      'tool_call',
      'output',
    ]);
    expect(told[2]).toMatchObject({ by: 'admin@example.com', reason: 'smoke' });
    expect(scene.ledger.callsOf('/slow')).toHaveLength(2);
    expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    await client.cancel(paid);
    const { steps } = await client.trace(paid);
    expect(steps.find(({ type }) => type === 'tool_call')).toMatchObject({
      status: 'in_doubt',
      duration_ms: expect.any(Number),
    });
  });

  it('reaches workers without signals at their next heartbeat', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(aToolAgent('deaf', scene.ledger.url, [['read', '/deaf']]));
    scene.ledger.script('/deaf', { hang: true });
    const [{ definition } = { definition: '' }] = await scene.stack.query<{ definition: string }>(
      `select pg_get_functiondef('run_machine.signal_stop'::regproc) as definition`,
    );
    await scene.haveWorkers();
    const { id } = await client.startRun(agent);
    await scene.stack.query(definition.replace(/select pg_notify\(.*\)/, 'select null'));
    try {
      const [call] = await scene.ledger.called('/deaf');
      // The worker breaks the call off at its next heartbeat, possibly after the stop has responded. The status of the
      // call in the response is therefore not checked.
      expect(await stop({ drain_timeout_ms: 0 })).toMatchObject({ in_flight: [{ run: id }] });
      await eventually(() => expect(call?.state).toBe('aborted'));
    } finally {
      await scene.stack.query(definition);
    }
    await resume();
    await becomes(id, 'succeeded');
  });

  it('lists the call of a worker that is suspended, which makes no call when it wakes up', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(
      aToolAgent('suspended', scene.ledger.url, [
        ['idempotent', '/held'],
        ['write', '/next'],
      ]),
    );
    scene.ledger.script('/held', { hang: true });
    const worker = (await scene.haveWorkers())[0]!;
    const { id } = await client.startRun(agent);
    await scene.ledger.called('/held');
    worker.signal('SIGSTOP');
    const stopped = await stop({ drain_timeout_ms: 0 });
    expect(stopped.in_flight).toEqual([
      { run: id, n: 2, tool: 'tool.idempotent', scope: 'write', started_at: expect.any(String), status: 'running' },
    ]);
    scene.ledger.release('/held');
    // Counts a worker only if its lease is valid. A worker whose lease has expired has lost its runs.
    const alive = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
    await eventually(async () => expect(await scene.stack.query(alive, [worker.pid])).toEqual([]));
    expect(await worker.end('SIGCONT')).toBe('exit 9');
    expect(scene.ledger.callsOf('/next')).toEqual([]);
    await scene.haveWorkers();
    await resume();
    await becomes(id, 'succeeded');
    expect(scene.ledger.callsOf('/next')).toHaveLength(1);
  });

  it('leaves agents as they were: a paused one stays paused', async () => {
    const { client } = scene.stack;
    const [busy, paused] = await Promise.all(
      ['busy', 'idle'].map((name) => client.createAgent(aToolAgent(name, scene.ledger.url, [['read', '/x']]))),
    );
    await client.expect('POST', `/v1/agents/${paused ?? ''}/pause`);
    const states = async () =>
      Promise.all(
        [busy, paused].map(async (id) => {
          const path = `/v1/agents/${id ?? ''}`;
          const agent = await client.expect<{ status: string; effective_status: string }>('GET', path);
          return [agent.status, agent.effective_status];
        }),
      );
    await stop();
    expect(await states()).toEqual([
      ['active', 'stopped'],
      ['paused', 'stopped'],
    ]);
    await resume();
    expect(await states()).toEqual([
      ['active', 'active'],
      ['paused', 'paused'],
    ]);
  });

  it('cancels the runs where that is asked for, running ones included', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(aToolAgent('doomed', scene.ledger.url, [['read', '/doom']]));
    scene.ledger.always('/doom', { hang: true });
    await scene.haveWorkers();
    const runs = await Promise.all(Array.from({ length: SLOTS + 3 }, () => client.startRun(agent)));
    await scene.ledger.called('/doom', SLOTS);
    expect(await stop({ runs: 'cancel', drain_timeout_ms: 0 })).toMatchObject({
      runs: { queued: 0, running: 0, waiting_approval: 0 },
      in_flight: Array.from({ length: SLOTS }, () => expect.objectContaining({ status: 'cancelled' })),
    });
    for (const { id } of runs) expect(await statusOf(id)).toBe('cancelled');
    await resume();
  });

  it(`lets no call arrive after its answer that it does not list, ${CYCLES} times in a row, and every suspended run ends well`, async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(
      aToolAgent('loaded', scene.ledger.url, [
        ['read', '/a'],
        ['idempotent', '/b'],
        ['read', '/c'],
      ]),
    );
    for (const path of ['/a', '/b', '/c']) scene.ledger.always(path, { delayMillis: 25 });
    await scene.haveWorkers(2);
    const started: string[] = [];
    const startRuns = async () => {
      const runs = await Promise.all(Array.from({ length: LOAD }, () => client.startRun(agent)));
      started.push(...runs.map(({ id }) => id));
    };

    const running = async () =>
      (await scene.stack.query(`select from runs where status = 'running' and agent_id = $1`, [agent])).length;

    const late: LedgerCall[] = [];
    let { epoch } = await resume();
    for (let cycle = 1; cycle <= CYCLES; cycle++) {
      await startRuns();
      const before = scene.ledger.calls.length;
      await eventually(() => expect(scene.ledger.calls.length).toBeGreaterThan(before + 5));
      const stopped = await stop();
      const answeredAt = Date.now();
      expect(stopped.epoch).toBe(epoch + 1);
      expect(await client.call('POST', `/v1/agents/${agent}/runs`, {})).toMatchObject({
        status: 409,
        body: { code: 'workspace_stopped' },
      });
      await eventually(async () => expect(await running()).toBe(0));
      const listed = new Set(stopped.in_flight.map(({ run }) => run));
      const afterwards = scene.ledger.calls.filter((call) => call.at > answeredAt && !listed.has(call.run));
      // The tool server may notice an aborted call shortly after the response of the stop.
      late.push(...afterwards.filter((call) => call.state !== 'aborted' || call.at > answeredAt + READING_DELAY_MS));
      ({ epoch } = await resume());
    }
    expect(late).toEqual([]);
    for (const id of started) await becomes(id, 'succeeded');
    const keys = new Set(scene.ledger.callsOf('/b').map((call) => call.idempotencyKey));
    expect(keys.size).toBe(started.length);
  });
});
