import { eventually } from '../../support/eventually.js';
import { FaultScene } from '../fault-scene.js';
import { startRun } from '../load.js';

describe('a database response that is lost after the commit', () => {
  let scene: FaultScene;
  let agent: string;

  beforeAll(async () => {
    scene = await FaultScene.start();
    agent = await scene.agent('writes', ['write', '/first'], ['write', '/second']);
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const runsOfKey = (key: string) =>
    scene.query<{ id: string }>(
      'select r.id from idempotency_keys k join runs r on r.id = k.resource_id where k.key = $1',
      [key],
    );

  // `claim_next` must be the first case, because its run must exist before the worker starts. The same worker executes
  // the runs of all cases.
  it.each(['run_machine_claim_next', 'run_machine_claim', 'run_machine_advance', 'run_machine_finish'])(
    'of %s costs nothing and repeats nothing',
    (statement) =>
      scene.scenario(async () => {
        // A worker that receives a job for a run calls `claim`. A worker that polls calls `claim_next`. In the case of
        // `claim_next`, the run must therefore exist before the worker starts.
        const lost = scene.network.loseAnswers(statement, statement === 'run_machine_advance' ? 2 : 1);
        const early = statement === 'run_machine_claim_next' ? await scene.startRuns(agent, 1) : [];
        const worker = scene.stack.workers[0] ?? (await scene.stack.addWorker());
        const runs = early.length > 0 ? early : await scene.startRuns(agent, 1);
        await lost;
        expect(await scene.settled(runs)).toEqual({ succeeded: 1 });
        for (const path of ['/first', '/second']) expect(scene.ledger.callsOf(path)).toHaveLength(1);
        expect(await scene.query('select attempt from runs where id = any($1)', [runs])).toEqual([{ attempt: 1 }]);
        expect(worker.hasEnded).toBe(false);
      }),
  );

  // The network is slow, so that concurrent calls share a commit and lose the same response.
  it.each(['create_run', 'claim', 'advance', 'finish'])(
    'of several calls of %s at once costs none of them',
    (operation) =>
      scene.scenario(async () => {
        const [worker = await scene.stack.addWorker()] = scene.stack.workers.filter(({ hasEnded }) => !hasEnded);
        scene.network.delay(20);
        const lost = scene.network.loseAnswers(`run_machine_${operation}_batch`);
        const keys = Array.from({ length: 24 }, (_, n) => `${operation}-${n}`);
        const first = await Promise.all(keys.map((key) => startRun(scene.stack, agent, key)));
        if (operation === 'create_run') await lost;
        const again = await Promise.all(keys.map((key) => startRun(scene.stack, agent, key)));
        await lost;
        scene.network.delay(0);
        expect(again.map(({ status }) => status)).toEqual(keys.map(() => 202));
        const runs = again.flatMap(({ run = [] }) => run);
        expect(first.flatMap(({ run = [] }) => run).every((run) => runs.includes(run))).toBe(true);
        expect(await scene.settled(runs)).toEqual({ succeeded: keys.length });
        for (const path of ['/first', '/second'])
          expect([...scene.callsPerRun(path).values()].map((calls) => calls.length)).toEqual(keys.map(() => 1));
        expect(worker.hasEnded).toBe(false);
      }),
  );

  it('of the end of a run keeps no slot from the next run, also if it is only delayed', () =>
    scene.scenario(async () => {
      await scene.stack.endWorkers();
      // After its first run, this worker receives runs only as jobs. Until the end of such a run is recorded, the run
      // must not occupy the only concurrency slot.
      await scene.stack.addWorker({ WORKER_CONCURRENCY: '1', WORKER_LEASE_MS: '900000' });
      await scene.settled(await scene.startRuns(agent, 1));
      const end = scene.network.trap({ statement: 'run_machine_finish', withhold: 'request' });
      const [first = ''] = await scene.startRuns(agent, 1);
      await end.sprung;
      const [second = ''] = await scene.startRuns(agent, 1);
      await eventually(async () => expect(await scene.statuses([second])).toEqual({ succeeded: 1 }));
      expect(await scene.statuses([first])).toEqual({ running: 1 });
      end.release();
      expect(await scene.settled([first, second])).toEqual({ succeeded: 2 });
      await scene.stack.endWorkers();
    }));

  it('of a claim leaves no run without a worker, also if the claim arrives after its worker has given up on it', () =>
    scene.scenario(async () => {
      await scene.stack.endWorkers();
      const late = scene.network.trap({ statement: 'run_machine_claim_next', withhold: 'request' });
      // A worker claims only while a run is due. The run is cancelled so that the repeated claim takes no run. Otherwise
      // the delayed claim would be the repetition of a claim that took a run, and would take no second one.
      const [cancelled = ''] = await scene.startRuns(agent, 1);
      const worker = await scene.stack.addWorker({ WORKER_CONCURRENCY: '1' });
      await late.sprung;
      expect(await scene.stack.client.call('POST', `/v1/runs/${cancelled}/cancel`, {})).toMatchObject({ status: 200 });
      const triedAgain = scene.network.trap({ statement: 'run_machine_claim_next', withhold: 'answer' });
      late.breakOff();
      await triedAgain.sprung;
      triedAgain.release();
      const intent = scene.network.trap({ statement: 'run_machine_advance', withhold: 'answer' });
      const [first = ''] = await scene.startRuns(agent, 1);
      await intent.sprung;
      // The first run occupies the only concurrency slot of the worker, so the worker does not claim the second run.
      // The second run is claimed when the proxy delivers the delayed claim to Postgres.
      const [second = ''] = await scene.startRuns(agent, 1);
      late.deliver();
      await eventually(async () => expect(await scene.statuses([second])).toEqual({ running: 1 }));
      intent.release();
      expect(await scene.settled([first, second])).toEqual({ succeeded: 2 });
      for (const run of [first, second]) expect(scene.ledger.callsOf('/first', run)).toHaveLength(1);
      expect(worker.hasEnded).toBe(false);
    }));

  it('of a start creates one run, however often the caller repeats the start', () =>
    scene.scenario(async () => {
      await scene.stack.endWorkers();
      const before = await scene.query('select id from runs');
      const lost = scene.network.loseAnswers('run_machine_create_run');
      const first = await startRun(scene.stack, agent, 'lost-start');
      await lost;
      const second = await startRun(scene.stack, agent, 'lost-start');
      expect([202, 503]).toContain(first.status);
      expect(second.status).toBe(202);
      const [stored] = await runsOfKey('lost-start');
      expect(second.run).toBe(stored?.id);
      if (first.status === 202) expect(first.run).toBe(stored?.id);
      expect(await scene.query('select id from runs')).toHaveLength(before.length + 1);

      await scene.stack.addWorker();
      expect(await scene.settled([second.run ?? ''])).toEqual({ succeeded: 1 });
      expect(scene.ledger.callsOf('/first')).toHaveLength(1);
    }));

  it('of a cancellation leaves the run cancelled once', () =>
    scene.scenario(async () => {
      await scene.stack.endWorkers();
      const [run = ''] = await scene.startRuns(agent, 1);
      const lost = scene.network.loseAnswers('run_machine_cancel');
      const first = await scene.stack.client.call('POST', `/v1/runs/${run}/cancel`, {});
      await lost;
      expect([200, 503]).toContain(first.status);
      expect(await scene.stack.client.call('POST', `/v1/runs/${run}/cancel`, {})).toMatchObject({ status: 200 });
      expect(await scene.statuses([run])).toEqual({ cancelled: 1 });
      expect(await scene.query('select type from run_steps where run_id = $1', [run])).toEqual([{ type: 'cancelled' }]);
    }));
});
