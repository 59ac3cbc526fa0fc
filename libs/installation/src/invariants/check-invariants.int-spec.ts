import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { openStopScene, type StopScene } from '../../../runs/src/testing/stop-scene.js';
import { aWrite, RunMachine } from '../../../runs/src/testing/run-machine.js';
import { checkInvariants } from './check-invariants.js';
import { INVARIANTS } from './invariants.js';

/** For each invariant, the SQL that breaks it. Constraints that would prevent such a change are dropped first. */
const DEFECTS: Record<(typeof INVARIANTS)[number]['name'], string | readonly string[]> = {
  I1: `update runs set claim_op = null where id = $1`,
  I2: `update run_steps set attempt = attempt + 1 where run_id = $1`,
  I3: `update runs set status = 'failed', worker_id = null, ended_at = clock_timestamp() - interval '1 hour' where id = $1`,
  I4: `update run_steps set epoch = 2 where run_id = $1`,
  I5: `insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch)
    select run_id, 3, workspace_id, path, 2, type, tool, scope, effect, 'started', attempt, op, epoch from run_steps where run_id = $1`,
  I6: `update run_steps set n = 7 where run_id = $1`,
  I7: `insert into events (id, workspace_id, run_id, type, data) select 'evt_' || id, workspace_id, id, 'run.completed', '{}' from runs where id = $1`,
  I8: `update runs set status = 'waiting_approval', worker_id = null where id = $1`,
  I9: `update runs set status = 'queued', worker_id = null, wake_at = 'infinity', created_at = created_at - interval '1 hour' where id = $1`,
  I10: `update runs set worker_id = 'gone', claimed_at = claimed_at - interval '1 hour' where id = $1`,
  I11: `insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required, self_approval,
      request, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, expires_at, status, decided_at)
    select 'apr_' || id, workspace_id, id, agent_id, 1, 2, 'tool_call', 'p', 'r', '{}', 1, true, '{"another": true}', '{}', 'fail', 'fail', '{}',
      false, clock_timestamp(), 'approved', clock_timestamp() from runs where id = $1`,
  I12: `do $$ begin alter table idempotency_keys drop constraint idempotency_keys_pk; end $$`,
  I13: `update run_steps set workspace_id = 'another' where run_id = $1`,
  I14: [
    `insert into events (id, workspace_id, run_id, type, data) select 'evt_' || id, workspace_id, id, 'run.completed', '{}' from runs where id = $1`,
    `insert into webhook_endpoints (id, workspace_id, url, events, secret, updated_at)
       select 'whe_' || id, workspace_id, 'https://example.com', '{run.completed}', '', clock_timestamp() - interval '1 minute' from runs where id = $1`,
  ],
  I17: `delete from runs where id = $1`,
};

const SAFETY_NETS = ['drop index run_steps_in_flight_uq', 'alter table runs drop constraint runs_row_ck'];

describe('the invariants', () => {
  let database: TestDatabase;
  let scene: StopScene;
  let machine: RunMachine;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await openStopScene(database.url);
    machine = await RunMachine.open(database.url);
    for (const statement of SAFETY_NETS) await machine.query(statement);
  });

  afterEach(async () => {
    await machine.query('truncate runs, run_steps, approvals, events, webhook_endpoints cascade');
  });

  afterAll(async () => {
    await machine.close();
    await scene.close();
    await database.drop();
  });

  const broken = async (settings?: Parameters<typeof checkInvariants>[1]) =>
    (await checkInvariants(scene.statements, settings)).map((violation) => violation.invariant);

  const aRunWithAWrite = async (): Promise<string> => {
    const run = await machine.aClaimedRun();
    await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents: [aWrite('pay')] });
    return run.id;
  };

  it('hold for what the state machine does', async () => {
    await aRunWithAWrite();
    await machine.store.cancel(machine.workspaceId, await aRunWithAWrite(), { reason: null, actor: 'ann' });
    await machine.aQueuedRun();
    expect(await checkInvariants(scene.statements, { graceSeconds: 0 })).toEqual([]);
  });

  it.each(INVARIANTS.map(({ name, statement }) => [name, statement] as const))(
    'notice a defect that breaks %s: %s',
    async (name, statement) => {
      await aRunWithAWrite();
      const runId = await aRunWithAWrite();
      for (const defect of [DEFECTS[name]].flat()) await machine.query(defect, defect.includes('$1') ? [runId] : []);
      const violations = await checkInvariants(scene.statements);
      const examples = name === 'I12' ? ['idempotency_keys_pk'] : [runId];
      expect(violations).toContainEqual({ invariant: name, statement, count: 1, examples });
    },
  );

  it('can be looked for among the youngest runs only', async () => {
    await machine.query(String(DEFECTS.I4), [await aRunWithAWrite()]);
    await aRunWithAWrite();
    expect(await broken({ youngestRuns: 1 })).not.toContain('I4');
    expect(await broken({ youngestRuns: 2 })).toContain('I4');
  });
});
