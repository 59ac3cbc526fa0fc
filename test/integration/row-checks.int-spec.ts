import { createDataSource } from '@app/platform/database';
import type { DataSource, QueryRunner } from 'typeorm';
import {
  OneCheckPerRow1766600000000,
  ROW_CHECKS,
} from '../../libs/platform/src/database/migrations/1766600000000-one-check-per-row.js';
import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** Every value that a check tells from others, and one that no row may have. */
const VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  runs: {
    mode: [`'production'`, `'test'`, `'x'`],
    status: ['queued', 'running', 'waiting_approval', 'succeeded', 'handed_off', 'failed', 'cancelled', 'x'].map(
      (status) => `'${status}'`,
    ),
    worker_id: ['null', `'w'`],
    wake_at: ['null', 'now()'],
    ended_at: ['null', 'now()'],
  },
  run_steps: {
    n: ['1', '2'],
    effect: ['null', `'read'`, `'idempotent'`, `'at_most_once'`, `'x'`],
    state: [
      ...['awaiting_approval', 'ready', 'started', 'in_doubt', 'waiting', 'interrupted', 'succeeded', 'failed'],
      ...['denied', 'rejected', 'simulated', 'cancelled', 'x'],
    ].map((state) => `'${state}'`),
    due_at: ['null', 'now()'],
    ended_at: ['null', 'now()'],
  },
};

/** Two modes by seven statuses; four effects by eleven states with and without a time, and one that needs its time. */
const SOUND: Readonly<Record<string, number>> = { runs: 14, run_steps: 4 * (11 * 2 + 1) };

describe('the one check of a row', () => {
  let database: TestDatabase;
  let machine: RunMachine;
  let source: DataSource;
  let runner: QueryRunner;

  beforeEach(async () => {
    database = await createTestDatabase();
    machine = await RunMachine.open(database.url);
    source = await createDataSource({ url: database.url, poolSize: 2, applicationName: 'spec' }).initialize();
    runner = source.createQueryRunner();
  });

  afterEach(async () => {
    await runner.release();
    await source.destroy();
    await machine.close();
    await database.drop();
  });

  it.each(ROW_CHECKS)('of $table lets through what all of the former ones did, and nothing else', async (check) => {
    const columns = Object.entries(VALUES[check.table]!).map(
      ([column, values]) => `(values ${values.map((value) => `(${value})`).join(', ')}) as ${column}_(${column})`,
    );
    const former = Object.values(check.former).map((condition) => `coalesce(${condition}, true)`);
    const [counted] = await machine.query(`
      select count(*) filter (where ${check.condition} is distinct from (${former.join(' and ')}))::integer as different,
        count(*) filter (where ${check.condition})::integer as sound
      from ${columns.join(' cross join ')}`);
    expect(counted).toEqual({ different: 0, sound: SOUND[check.table] });
  });

  it('refuses what no operation would write', async () => {
    const { id } = await machine.aClaimedRun();
    const refused = (constraint: string): unknown => expect.objectContaining({ code: '23514', constraint });
    await expect(machine.query(`update runs set status = 'queued' where id = $1`, [id])).rejects.toEqual(
      refused('runs_row_ck'),
    );
    const step = `insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch)
      values ($1, 2, 'w', 'a', 'wait', 'waiting', 1, gen_random_uuid(), 1)`;
    await expect(machine.query(step, [id])).rejects.toEqual(refused('run_steps_row_ck'));
  });

  it('takes the place of the former ones, also where that was given up half way', async () => {
    const checks = () =>
      machine.query<{
        name: string;
        validated: boolean;
      }>(`select conname as name, convalidated as validated from pg_constraint
        where contype = 'c' and conrelid in ('runs'::regclass, 'run_steps'::regclass) order by 1`);
    const present = [
      { name: 'run_steps_row_ck', validated: true },
      { name: 'runs_row_ck', validated: true },
    ];
    expect(await checks()).toEqual(present);
    const migration = new OneCheckPerRow1766600000000();
    await migration.down(runner);
    const former = ROW_CHECKS.flatMap((check) => Object.keys(check.former)).sort();
    expect((await checks()).map(({ name }) => name)).toEqual(former);
    await migration.up(runner);
    await runner.query(`alter table runs add constraint runs_end_ck check (version > 0)`);
    await migration.up(runner);
    expect(await checks()).toEqual(present);
  });
});
