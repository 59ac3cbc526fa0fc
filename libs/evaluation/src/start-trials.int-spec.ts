import { newId } from '@app/kernel';
import { Client } from 'pg';
import { RunMachine } from '../../runs/src/testing/run-machine.js';

const LIMITED = {
  rules: { queueTtlMs: null, concurrency: { max: 1, key: null, maxPerKey: null, rejectConflict: true } },
};

describe('runs of an evaluation', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  afterAll(() => machine.close());

  const keptOf = async (...runs: string[]): Promise<string[]> => {
    const text = 'select id from runs where is_kept and id = any ($1) order by id';
    return (await machine.query<{ id: string }>(text, [runs])).map(({ id }) => id);
  };

  it('begin while another run of the agent is asking for a place, and without one', async () => {
    await machine.aQueuedRun(LIMITED);
    const asking = new Client({ connectionString: machine.databaseUrl });
    await asking.connect();
    try {
      await asking.query('begin');
      const refused = await asking.query<{ is_taken: boolean }>(
        `select run_machine.has_concurrency_conflict($1, '{"concurrency_max": 1}') as is_taken`,
        [machine.agentId],
      );
      expect(refused.rows).toEqual([{ is_taken: true }]);

      const [first, second] = [newId('run'), newId('run')];
      const trials = [first, second].map((run, n) => ({
        n,
        run,
        version: 1,
        trigger: { type: 'evaluation' },
        input: {},
        labels: {},
      }));
      const started = await machine.query(
        `select t.* from set_config('lock_timeout', '5s', true),
           evaluation.start_trials($1, $2, $3, 'ann@example.com', 'EUR', $4) t`,
        [machine.workspaceId, machine.agentId, newId('evaluation'), JSON.stringify(trials)],
      );
      expect(started).toEqual([{ verdict: 'ok', started: [first, second] }]);
    } finally {
      await asking.end();
    }
  });

  it('and the runs that they repeat are kept by retention', async () => {
    const [recorded, run, evaluation] = [await machine.aQueuedRun(), newId('run'), newId('evaluation')];
    const { workspaceId, agentId } = machine;
    await machine.query(
      `insert into evaluations (id, workspace_id, agent_id, version, currency, created_by) values ($1, $2, $3, 1, 'EUR', 'ann')`,
      [evaluation, workspaceId, agentId],
    );
    const trial = { n: 1, caseN: null, caseName: recorded, trial: 1, baseline: false, sourceRun: recorded };
    await machine.query('select evaluation.plan_trials($1, $2, $3)', [
      evaluation,
      workspaceId,
      JSON.stringify([trial]),
    ]);
    expect(await keptOf(recorded)).toEqual([recorded]);
    const started = { n: 1, run, version: 1, trigger: { type: 'evaluation' }, input: {}, labels: {}, source: recorded };
    const start = `select evaluation.start_trials($1, $2, $3, 'ann@example.com', 'EUR', $4)`;
    await machine.query(start, [workspaceId, agentId, evaluation, JSON.stringify([started])]);
    expect(await keptOf(recorded, run)).toEqual([recorded, run].sort());
  });
});
