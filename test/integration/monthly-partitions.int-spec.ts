import { lowestId, newId } from '@app/kernel';
import { createDataSource, migrateDatabase } from '@app/platform/database';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../libs/platform/src/database/migrations/index.js';
import { MonthlyPartitions1766500000000 } from '../../libs/platform/src/database/migrations/1766500000000-monthly-partitions.js';
import { installTenantPolicies } from '../../libs/platform/src/database/tenant-policies.js';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres.js';

const LOGS = ['audit_events', 'trigger_events'] as const;
type Log = (typeof LOGS)[number];
const YEAR = 365 * 86_400_000;

/** As the release before writes and reads: prepared once, for as long as its connection lasts. */
const WRITE: Readonly<Record<Log, string>> = {
  audit_events: `insert into audit_events (id, workspace_id, actor, action, target, detail) values ($1, 'wsp_a', 'ann', 'x', 'y', '{}')`,
  trigger_events: `insert into trigger_events (agent_id, id, workspace_id, trigger_id, type, outcome)
    values ('agt_a', $1, 'wsp_a', 'hook', 'webhook', 'filtered')`,
};
const READ: Readonly<Record<Log, string>> = {
  audit_events: `select id from audit_events where workspace_id = 'wsp_a' and id > $1 order by id`,
  trigger_events: `select id from trigger_events where workspace_id = 'wsp_a' and agent_id = 'agt_a' and id > $1 order by id`,
};
const FORGET: Readonly<Record<Log, string>> = {
  audit_events: `delete from audit_events a using (
    select o.id from audit_events o where o.id < $1 order by o.id limit 9 for update skip locked) old where a.id = old.id`,
  trigger_events: `delete from trigger_events a using (select o.agent_id, o.id from trigger_events o
    where o.agent_id = 'agt_a' and o.id < $1 order by o.id limit 9 for update skip locked) old
    where a.agent_id = old.agent_id and a.id = old.id`,
};

describe('a log that is divided into months', () => {
  let database: TestDatabase;
  let source: DataSource;
  let postgres: Client;

  beforeEach(async () => {
    database = await createEmptyTestDatabase();
    const { options } = createDataSource({ url: database.url, poolSize: 2, applicationName: 'before' });
    const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(MonthlyPartitions1766500000000));
    source = await new DataSource({ ...options, migrations: before }).initialize();
    await source.runMigrations({ transaction: 'each' });
    const runner = source.createQueryRunner();
    await installTenantPolicies(runner);
    await runner.release();
    postgres = new Client({ connectionString: database.url });
    await postgres.connect();
  });

  afterEach(async () => {
    await postgres.end();
    await source.destroy();
    await database.drop();
  });

  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await postgres.query(text, values)).rows as Row[];
  const write = (log: Log, id: string, client = postgres) =>
    client.query({ name: `write ${log}`, text: WRITE[log], values: [id] });
  const read = async (log: Log, client = postgres, after = ''): Promise<string[]> =>
    (await client.query<{ id: string }>({ name: `read ${log}`, text: READ[log], values: [after] })).rows.map(
      ({ id }) => id,
    );
  const forget = async (log: Log, before: string): Promise<number | null> =>
    (await postgres.query({ name: `forget ${log}`, text: FORGET[log], values: [before] })).rowCount;
  const file = async (table: string): Promise<unknown> => rows('select pg_relation_filenode($1)', [table]);
  const migrate = () => migrateDatabase(database.url, []);
  const kind = async (log: Log): Promise<string> =>
    (await rows<{ relkind: string }>('select relkind from pg_class where oid = $1::regclass', [log]))[0]!.relkind;
  const leftover = () => rows(`select conname from pg_constraint where conname like '%\\_before\\_ck'`);
  const partOf = async (log: Log, id: string): Promise<string> =>
    (await rows<{ part: string }>(`select tableoid::regclass::text as part from ${log} where id = $1`, [id]))[0]!.part;

  it('keeps every line where it is, and sessions of before go on with what they had prepared', async () => {
    const old = [2, 1].map((years) => lowestId('event', Date.now() - years * YEAR));
    for (const log of LOGS) {
      for (const id of old) await write(log, id);
      expect([await read(log), await forget(log, '')]).toEqual([old, 0]);
    }
    const files = await Promise.all(LOGS.map(file));
    await migrate();
    expect(await Promise.all(LOGS.map((log) => file(`${log}_before`)))).toEqual(files);
    const [now, ahead] = [newId('event'), lowestId('event', Date.now() + YEAR)];
    for (const log of LOGS) {
      for (const id of [now, ahead]) await write(log, id);
      expect(await read(log)).toEqual([...old, now, ahead]);
      expect([await partOf(log, now), await partOf(log, ahead)]).toEqual([`${log}_before`, `${log}_later`]);
      expect(await forget(log, now)).toBe(2);
      expect(await read(log)).toEqual([now, ahead]);
    }
    expect(await leftover()).toEqual([]);
  });

  it('refuses nobody while it is being divided, tenants included', async () => {
    const [{ role }] = (await rows(
      `select roles[1] as role from pg_policies where tablename = 'audit_events' and policyname = 'tenant'`,
    )) as [{ role: string }];
    const under = new AbortController();
    const written: string[] = [];
    const visitor = async (log: Log): Promise<void> => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      await client.query(`set role "${role}"; set app.workspace_id = 'wsp_a'`);
      let last = '';
      try {
        while (!under.signal.aborted) {
          const id = newId('event');
          await write(log, id, client);
          written.push(id);
          expect(await read(log, client, last)).toContain(id);
          last = id;
        }
      } finally {
        await client.end();
      }
    };
    const migrated = migrate().finally(() => under.abort());
    await Promise.all([migrated, ...LOGS.flatMap((log) => [visitor(log), visitor(log)])]);
    const seen = (await Promise.all(LOGS.map((log) => read(log)))).flat();
    expect(seen.sort()).toEqual(written.sort());
    await postgres.query(`set role "${role}"; set app.workspace_id = 'wsp_b'`);
    expect(await Promise.all(LOGS.map((log) => rows(`select from ${log}`)))).toEqual([[], []]);
    await postgres.query('reset role');
  });

  it('is none where it was in use for too long, and is divided when the step is repeated', async () => {
    const ahead = lowestId('event', Date.now() + 3 * YEAR);
    await write('trigger_events', ahead);
    await postgres.query('begin');
    await read('trigger_events');
    await expect(migrate()).rejects.toMatchObject({ code: '55P03' });
    await postgres.query('commit');
    expect([await kind('audit_events'), await kind('trigger_events'), await leftover()]).toEqual(['p', 'r', []]);
    await migrate();
    expect(await kind('trigger_events')).toBe('p');
    // Dated behind the months that should come next, by a clock that was wrong: they begin behind it.
    expect(await partOf('trigger_events', ahead)).toBe('trigger_events_before');
    expect(await migrate()).toEqual({ migrations: [], functionSets: [] });
  });

  it('is one table again when that is taken back, with all of its lines', async () => {
    const ids = [newId('event'), lowestId('event', Date.now() + YEAR)];
    await migrate();
    for (const log of LOGS) for (const id of ids) await write(log, id);
    const { options } = createDataSource({ url: database.url, poolSize: 2, applicationName: 'after' });
    const after = await new DataSource(options).initialize();
    const undone = MIGRATIONS.slice(MIGRATIONS.indexOf(MonthlyPartitions1766500000000));
    for (let n = 0; n < undone.length; n++) await after.undoLastMigration({ transaction: 'each' });
    await after.destroy();
    for (const log of LOGS) expect([await kind(log), await read(log)]).toEqual(['r', ids]);
    await migrate();
    for (const log of LOGS) expect([await kind(log), await read(log)]).toEqual(['p', ids]);
  });
});
