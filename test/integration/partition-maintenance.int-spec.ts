import { lowestId } from '@app/kernel';
import { createDataSource, PartitionMaintenanceService, Statements } from '@app/platform/database';
import { createLogger } from '@app/platform/observability';
import { Client } from 'pg';
import { ManualClock } from '../../libs/kernel/src/testing/manual-clock.js';
import { startPartitionsAt, monthId } from '../support/monthly-logs.js';
import { TriggerEventStore } from '@app/triggers';
import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';
import { RetentionRepository } from '../../libs/runs/src/retention/retention.repository.js';

const LOGS = ['audit_events', 'trigger_events'] as const;
type MonthlyLog = (typeof LOGS)[number];
const EVER_SINCE = lowestId('event', 0);
const TENANT_ROLE = `select roles[1] as role from pg_policies where tablename = 'workspaces' and policyname = 'tenant'`;
const FAR_AHEAD = monthId(2099, 1);

/**
 * The monthly partitions of both logs begin with March 2026. The current date in the test is the middle of February
 * 2026.
 */
describe('the monthly partitions of a log', () => {
  let machine: RunMachine;
  let statements: Statements;
  let maintenance: PartitionMaintenanceService;
  let clock: ManualClock;
  let close: () => Promise<void>;

  beforeEach(async () => {
    machine = await RunMachine.create({ poolSize: 8 });
    const dataSource = createDataSource({ url: machine.databaseUrl, poolSize: 8, applicationName: 'test' });
    await dataSource.initialize();
    statements = new Statements(dataSource);
    clock = new ManualClock('2026-02-15T12:00:00Z');
    maintenance = new PartitionMaintenanceService(
      statements,
      clock,
      createLogger({ level: 'silent', format: 'json', name: 'spec' }),
      [
        { name: 'audit_events', days: 365 },
        { name: 'trigger_events', days: 30 },
      ],
    );
    for (const log of LOGS) await startPartitionsAt((text) => machine.query(text), log, monthId(2026, 3));
    close = () => dataSource.destroy();
  });
  afterEach(async () => {
    await close();
    await machine.close();
  });

  const write = (log: MonthlyLog, id: string): Promise<unknown> =>
    log === 'audit_events'
      ? machine.query(`insert into audit_events (id, workspace_id, actor, action) values ($1, $2, 'ann', 'x')`, [
          id,
          machine.workspaceId,
        ])
      : machine.query(
          `select triggers.log_trigger_event($1, $2, $3, 't', 'webhook', 'filtered', null, null, 1, null, null)`,
          [id, machine.workspaceId, machine.agentId],
        );
  const middleOf = (year: number, month: number): string => lowestId('event', Date.UTC(year, month - 1, 15));
  /** Returns the name of the partition of each row, in the order of the row ids. */
  const places = async (log: MonthlyLog): Promise<string[]> =>
    (await machine.query<{ part: string }>(`select tableoid::regclass::text as part from ${log} order by id`)).map(
      ({ part }) => part.replace(`${log}_`, ''),
    );
  const parts = async (log: MonthlyLog): Promise<string[]> =>
    (await machine.query<{ part: string }>('select part from platform.months($1)', [log])).map(({ part }) =>
      part.replace(`${log}_`, ''),
    );
  const make = (log: MonthlyLog, monthsAhead = 3) => maintenance.makePartitions(log, monthsAhead);
  const passTo = (time: string): void => clock.pass(new Date(time).getTime() - clock.now().getTime());

  it.each(LOGS)('of %s are made ahead of time, each once, and each row goes to its own', async (log) => {
    expect(await make(log)).toEqual(['2026_03', '2026_04', '2026_05'].map((month) => `${log}_${month}`));
    expect(await make(log)).toEqual([]);
    const named = `select from pg_indexes where indexname not like tablename || '\\_%' and tablename like $1 || '\\_%'`;
    expect(await machine.query(named, [log])).toEqual([]);
    expect(await parts(log)).toEqual(['before', '2026_03', '2026_04', '2026_05', 'later']);
    const last = lowestId('event', Date.UTC(2026, 3, 1) - 1).replace(/0{16}$/, 'z'.repeat(16));
    const ids = [EVER_SINCE, middleOf(2026, 2), monthId(2026, 3), last, monthId(2026, 4), monthId(2026, 6), FAR_AHEAD];
    for (const id of ids) await write(log, id);
    expect(await places(log)).toEqual(['before', 'before', '2026_03', '2026_03', '2026_04', 'later', 'later']);
    passTo('2026-03-01T00:00:00Z');
    expect(await make(log)).toEqual([`${log}_2026_06`]);
    expect(await places(log)).toEqual(['before', 'before', '2026_03', '2026_03', '2026_04', '2026_06', 'later']);
  });

  it.each(LOGS)('of %s accept rows for months without a partition', async (log) => {
    passTo('2026-06-10T00:00:00Z');
    const ids = [middleOf(2026, 2), middleOf(2026, 3), middleOf(2026, 5), middleOf(2026, 8), FAR_AHEAD];
    for (const id of ids) await write(log, id);
    expect(await make(log, 1)).toEqual([`${log}_2026_03`, `${log}_2026_07`]);
    expect(await places(log)).toEqual(['before', '2026_03', '2026_03', 'later', 'later']);
    expect(await make(log)).toEqual([`${log}_2026_08`, `${log}_2026_09`]);
    expect(await places(log)).toEqual(['before', '2026_03', '2026_03', '2026_08', 'later']);
    expect(await machine.query(`select id from ${log} order by id`)).toEqual(ids.map((id) => ({ id })));
  });

  it.each(LOGS)('of %s are dropped whole once their last day is old enough, and there is never a gap', async (log) => {
    await make(log);
    const ids = [EVER_SINCE, middleOf(2026, 2), middleOf(2026, 3), middleOf(2026, 4), middleOf(2026, 5), FAR_AHEAD];
    for (const id of ids) await write(log, id);
    expect(await maintenance.dropPartitions(log, middleOf(2026, 3))).toEqual([]);
    expect(await places(log)).toEqual(['before', 'before', '2026_03', '2026_04', '2026_05', 'later']);
    expect(await maintenance.dropPartitions(log, middleOf(2026, 5))).toEqual([`${log}_2026_03`, `${log}_2026_04`]);
    expect(await maintenance.dropPartitions(log, middleOf(2026, 5))).toEqual([]);
    expect(await parts(log)).toEqual(['before', '2026_05', 'later']);
    expect(await places(log)).toEqual(['2026_05', 'later']);
    // Rows with a time outside all monthly partitions are accepted too.
    for (const id of [EVER_SINCE, middleOf(2026, 3)]) await write(log, id);
    expect(await places(log)).toEqual(['before', 'before', '2026_05', 'later']);
    // Rows in the partition `later` are not dropped, because their months have no partitions of their own.
    expect(await maintenance.dropPartitions(log, monthId(2199, 1))).toEqual([`${log}_2026_05`]);
    expect(await places(log)).toEqual(['later']);
  });

  it('leave older rows to the purge, which deletes them one by one', async () => {
    for (const log of LOGS) {
      await make(log);
      for (const id of [middleOf(2026, 2), middleOf(2026, 3)]) await write(log, id);
    }
    expect(await new RetentionRepository(statements).purgeAuditEvents(monthId(2026, 5), 100)).toBe(1);
    expect(await new TriggerEventStore(statements).purgeEvents(monthId(2026, 5), 100)).toBe(1);
    for (const log of LOGS) expect(await places(log)).toEqual(['2026_03']);
  });

  it('are maintained by any number of workers at once, while rows are written and read', async () => {
    const writing = LOGS.flatMap((log) =>
      Array.from({ length: 40 }, (_, n) => write(log, lowestId('event', Date.UTC(2026, 0, 1) + n * 4 * 86_400_000))),
    );
    const making = Array.from({ length: 6 }, () => maintenance.makePartitions('audit_events', 3).catch(() => []));
    const reading = LOGS.map((log) => machine.query(`select count(*) from ${log}`));
    const [made] = await Promise.all([Promise.all(making), ...writing, ...reading]);
    expect(new Set(made.flat()).size).toBe(made.flat().length);
    await make('audit_events');
    expect(await parts('audit_events')).toEqual(['before', '2026_03', '2026_04', '2026_05', 'later']);
    const [row] = await machine.query(`select count(*)::integer as lines from audit_events`);
    expect(row).toEqual({ lines: 40 });
    const dropping = Array.from({ length: 6 }, () =>
      maintenance.dropPartitions('audit_events', monthId(2026, 5)).catch(() => []),
    );
    expect((await Promise.all(dropping)).flat().length).toBe(2);
  });

  it('are made and dropped later if a session reads for long, and nothing is half done', async () => {
    await make('audit_events');
    await write('audit_events', middleOf(2026, 3));
    const reader = new Client({ connectionString: machine.databaseUrl });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select from audit_events');
      const busy = { code: 'unavailable' };
      await expect(make('audit_events', 6)).rejects.toMatchObject(busy);
      await expect(maintenance.dropPartitions('audit_events', monthId(2026, 4))).rejects.toMatchObject(busy);
      await write('audit_events', middleOf(2026, 4));
      await reader.query('commit');
    } finally {
      await reader.end();
    }
    expect(await places('audit_events')).toEqual(['2026_03', '2026_04']);
    expect(await make('audit_events', 4)).toEqual(['audit_events_2026_06']);
    expect(await maintenance.dropPartitions('audit_events', monthId(2026, 4))).toEqual(['audit_events_2026_03']);
  });

  it('do not change while another process has their lock', async () => {
    const other = new Client({ connectionString: machine.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(`select platform.try_lock_months('audit_events')`);
      expect(await make('audit_events')).toEqual([]);
      expect(await maintenance.dropPartitions('audit_events', FAR_AHEAD)).toEqual([]);
      expect(await make('trigger_events')).toHaveLength(3);
    } finally {
      await other.end();
    }
  });

  it('show a tenant the same rows as their log', async () => {
    const policies = (table: string) =>
      machine.query(
        `select policyname, permissive, roles, cmd, qual, with_check,
            (select c.relrowsecurity from pg_class c where c.oid = $1::text::regclass) as secured
          from pg_policies where tablename = $1 order by 1`,
        [table],
      );
    const [{ role }] = (await machine.query(TENANT_ROLE)) as [{ role: string }];
    for (const log of LOGS) {
      await make(log);
      await write(log, middleOf(2026, 3));
      for (const part of ['before', '2026_03', '2026_05', 'later'])
        expect([part, await policies(`${log}_${part}`)]).toEqual([part, await policies(log)]);
      expect(await policies(log)).toHaveLength(2);
      const seen = async (workspace: string): Promise<unknown> => {
        const tenant = new Client({ connectionString: machine.databaseUrl });
        await tenant.connect();
        try {
          await tenant.query(`begin; set local role "${role}"; set local app.workspace_id = '${workspace}'`);
          return (await tenant.query(`select id from ${log}_2026_03`)).rowCount;
        } finally {
          await tenant.end();
        }
      };
      expect([await seen('wsp_of_others'), await seen(machine.workspaceId)]).toEqual([0, 1]);
    }
  });

  it('are dropped when their last day is older than the retention, and never if the retention is 0', async () => {
    const keep = async (): Promise<void> => {
      await maintenance.maintainPartitions({ name: 'trigger_events', days: 30 });
      await maintenance.maintainPartitions({ name: 'audit_events', days: 0 });
    };
    await keep();
    for (const log of LOGS)
      for (const id of [middleOf(2026, 2), middleOf(2026, 3), middleOf(2026, 4)]) await write(log, id);
    passTo('2026-04-30T23:59:59Z');
    await keep();
    expect(await places('trigger_events')).toEqual(['before', '2026_03', '2026_04']);
    passTo('2026-05-01T00:00:00Z');
    await keep();
    expect(await places('trigger_events')).toEqual(['2026_04']);
    expect(await parts('trigger_events')).toEqual([
      'before',
      '2026_04',
      '2026_05',
      '2026_06',
      '2026_07',
      '2026_08',
      'later',
    ]);
    expect(await places('audit_events')).toEqual(['before', '2026_03', '2026_04']);
  });

  it('are made when a worker starts', async () => {
    maintenance.start();
    await maintenance.stop();
    for (const log of LOGS) expect(await parts(log)).toContain('2026_05');
  });
});
