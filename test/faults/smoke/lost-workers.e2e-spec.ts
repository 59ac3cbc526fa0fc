import type { Program } from '../../support/program.js';
import { type Snare, Trap } from '../chaos-proxy.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';

const EFFECTS = ['read', 'idempotent', 'write'] as const;
interface Place {
  title: string;
  /**
   * Resolves when the calls of all three runs have reached this point. A returned trap withholds statements until the
   * worker is dead.
   */
  arrive: (scene: FaultScene, doomed: Program) => Promise<unknown>;
  /**
   * Expected numbers of calls that arrive at the tool: for the read, for the idempotent write, and for the write that
   * must not be repeated.
   */
  calls: [number, number, number];
  /** True if the service must ask a person about the third call. */
  inDoubt: boolean;
}

const trapAll = (scene: FaultScene, statement: string, withhold: Snare['withhold']): Trap =>
  scene.network.trap({ statement, application: 'aas-worker', withhold, count: EFFECTS.length });

const PLACES: Place[] = [
  {
    title: 'before the intent of the call is committed',
    arrive: async (scene) => await trapAll(scene, 'run_machine_advance', 'request').sprung,
    calls: [1, 1, 1],
    inDoubt: false,
  },
  {
    title: 'after the commit of the intent and before its acknowledgement',
    arrive: async (scene) => await trapAll(scene, 'run_machine_advance', 'answer').sprung,
    calls: [1, 1, 0],
    inDoubt: true,
  },
  {
    title: 'after the acknowledgement and before the call',
    arrive: async (scene, doomed) => {
      const intents = trapAll(scene, 'run_machine_advance', 'answer');
      await intents.sprung;
      doomed.signal('SIGSTOP');
      intents.release();
    },
    calls: [1, 1, 0],
    inDoubt: true,
  },
  {
    title: 'during the call',
    arrive: async ({ ledger }) => {
      for (const effect of EFFECTS) ledger.script(`/${effect}`, { hang: true });
      for (const effect of EFFECTS) await ledger.called(`/${effect}`);
    },
    calls: [2, 2, 1],
    inDoubt: true,
  },
  {
    title: 'after the call and before its result is committed',
    arrive: async ({ ledger, network }) => {
      // The number of results to withhold is unlimited, because the worker may first send several results together and
      // then repeat them one by one.
      const statement = 'run_machine_finish';
      const results = network.trap({ statement, application: 'aas-worker', withhold: 'request', count: Infinity });
      for (const effect of EFFECTS) await ledger.called(`/${effect}`);
      return results;
    },
    calls: [2, 2, 1],
    inDoubt: true,
  },
  {
    title: 'after the commit of the end and before its acknowledgement',
    arrive: async (scene) => await trapAll(scene, 'run_machine_finish', 'answer').sprung,
    calls: [1, 1, 1],
    inDoubt: false,
  },
];

describe('a worker that is killed (kill -9)', () => {
  let scene: FaultScene;
  const agents: string[] = [];

  beforeAll(async () => {
    scene = await FaultScene.start();
    for (const effect of EFFECTS) agents.push(await scene.agent(effect, [effect, `/${effect}`]));
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  it.each(PLACES)('$title loses no run and repeats no write', ({ arrive, calls, inDoubt }) =>
    scene.scenario(async () => {
      // The worker that took over in the previous case is killed in this one.
      const doomed = await scene.aWorker();
      const arrived = arrive(scene, doomed);
      const runs: string[] = [];
      for (const agent of agents) runs.push(...(await scene.startRuns(agent, 1)));
      const trap = await arrived;
      await doomed.kill();
      if (trap instanceof Trap) trap.cut();
      await scene.stack.addWorker();
      await scene.settled(runs, RECOVERY);

      expect(EFFECTS.map((effect) => scene.ledger.callsOf(`/${effect}`).length)).toEqual(calls);
      const keys = scene.ledger.callsOf('/idempotent').map((call) => call.idempotencyKey);
      expect(new Set(keys)).toEqual(new Set([`${runs[1] ?? ''}/call1`]));
      const [, , write = ''] = runs;
      expect(await scene.callStates(write)).toEqual([inDoubt ? 'call1 in_doubt' : 'call1 succeeded']);
      expect(await scene.statuses(runs)).toEqual(inDoubt ? { succeeded: 2, waiting_approval: 1 } : { succeeded: 3 });
    }),
  );
});
