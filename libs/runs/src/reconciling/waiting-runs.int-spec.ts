import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { RunMachine } from '../testing/run-machine.js';
import {
  CHILD_RUNS,
  DUE_APPROVALS,
  DUE_RUNS,
  LOST_RUNS,
  QUEUE_DEADLINES,
  SUSPENDED_RUNS,
  unknownRuns,
  unreportedCalls,
} from './due-runs.js';

const WAITING = 5_000;

const CONDITIONS = [
  DUE_RUNS,
  LOST_RUNS,
  DUE_APPROVALS,
  QUEUE_DEADLINES,
  SUSPENDED_RUNS,
  CHILD_RUNS,
  unknownRuns('nobody', 0),
  unreportedCalls(0),
];

const POLLING = [
  ['claim_next', `select from run_machine.claim_next(jsonb_build_object('worker', 'nobody', 'op', gen_random_uuid()))`],
  ['due_approvals', 'select from run_machine.due_approvals(100)'],
  ['expire_queued', 'select run_machine.expire_queued(100)'],
  ['lost_runs', 'select from run_machine.lost_runs(100)'],
  ['close_unreported_calls', 'select run_machine.close_unreported_calls(0, 100)'],
  ['workspaces_to_resume', 'select from run_machine.workspaces_to_resume(100)'],
  ...CONDITIONS.map(({ name, isDue }) => [`the condition ${name}`, `select (${isDue})`] as const),
] as const;

describe('thousands of runs that wait for a time or a person', () => {
  let database: TestDatabase;
  let machine: RunMachine;

  beforeAll(async () => {
    database = await createTestDatabase();
    // With a single database session, the test can flush all statistics, so the number of rows read is exact.
    machine = await RunMachine.open(database.url, { poolSize: 1 });
    for (const { name, isDue } of CONDITIONS) {
      await machine.query(`prepare ${name} as select (${isDue})`);
      await machine.query(`execute ${name}`);
    }
    await machine.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, status, wake_at, queue_deadline, attempt)
         select 'run_' || n, $1, $2, 1, 'production', '{"type": "api"}', '{}', 'EUR', case when n % 2 = 0 then 'queued' else 'waiting_approval' end,
           case when n % 2 = 0 then clock_timestamp() + interval '1 day' end, clock_timestamp() + interval '1 day', 0
         from generate_series(1, $3::integer) n`,
      [machine.workspaceId, machine.agentId, WAITING],
    );
    await machine.query(
      `insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required,
           self_approval, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, expires_at)
         select 'apr_' || r.id, r.workspace_id, r.id, r.agent_id, 1, 2, 'step', 'p', 'r', '{}', 1, false, '{approve}', 'fail', 'fail', '{}',
           false, clock_timestamp() + interval '1 day' from runs r where r.status = 'waiting_approval'`,
    );
  });

  afterAll(async () => {
    await machine.close();
    await database.drop();
  });

  const rowsRead = async (): Promise<number> => {
    await machine.query('select pg_stat_force_next_flush()');
    const [row] = await machine.query<{ read: string }>(
      `select (select sum(seq_tup_read) from pg_stat_user_tables where relname in ('runs', 'approvals', 'run_steps'))
         + (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('runs', 'approvals', 'run_steps')) as read`,
    );
    return Number(row?.read);
  };

  it.each(CONDITIONS)('are not read by the condition $name with the plan for empty tables', async ({ name }) => {
    const before = await rowsRead();
    await machine.query(`execute ${name}`);
    expect((await rowsRead()) - before).toBeLessThan(50);
  });

  it.each(POLLING)('are not read by %s', async (_name, statement) => {
    await machine.query('analyze');
    const before = await rowsRead();
    await machine.query(statement);
    expect((await rowsRead()) - before).toBeLessThan(50);
  });

  it('do not keep a run that is due from being found', async () => {
    const due = await machine.aQueuedRun();
    const before = await rowsRead();
    const claimed = await machine.store.claimNext(await machine.aWorker(), randomUUID());
    expect(claimed?.id).toBe(due);
    expect((await rowsRead()) - before).toBeLessThan(50);
  });
});
