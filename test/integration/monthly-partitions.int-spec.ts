import { lowestId, newId } from '@app/kernel';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const LOGS = ['audit_events', 'trigger_events'] as const;
type Log = (typeof LOGS)[number];
const YEAR = 365 * 86_400_000;

/** An insert statement for each log. Postgres prepares it once per connection. */
const WRITE: Readonly<Record<Log, string>> = {
  audit_events: `insert into audit_events (id, workspace_id, actor, action, target, detail) values ($1, 'wsp_a', 'ann', 'x', 'y', '{}')`,
  trigger_events: `insert into trigger_events (agent_id, id, workspace_id, trigger_id, type, outcome)
    values ('agt_a', $1, 'wsp_a', 'hook', 'webhook', 'filtered')`,
};
const READ: Readonly<Record<Log, string>> = {
  audit_events: `select id from audit_events where workspace_id = 'wsp_a' and id > $1 order by id`,
  trigger_events: `select id from trigger_events where workspace_id = 'wsp_a' and agent_id = 'agt_a' and id > $1 order by id`,
};

describe('the partitions of a monthly log', () => {
  let database: TestDatabase;
  let postgres: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    postgres = await connect();
  });
  afterEach(async () => {
    await postgres.end();
    await database.drop();
  });

  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await postgres.query(text, values)).rows as Row[];
  const write = (log: Log, id: string, client = postgres) =>
    client.query({ name: `write ${log}`, text: WRITE[log], values: [id] });
  const read = async (log: Log, client = postgres, after = ''): Promise<string[]> =>
    (await client.query<{ id: string }>({ name: `read ${log}`, text: READ[log], values: [after] })).rows.map(
      ({ id }) => id,
    );
  const partitionsOf = async (log: Log): Promise<string[]> =>
    (await rows<{ part: string }>(`select tableoid::regclass::text as part from ${log} order by id`)).map(({ part }) =>
      part.replace(`${log}_`, ''),
    );

  it.each(LOGS)('of %s begin with the present month in a new database', async (log) => {
    const today = new Date();
    const month = lowestId('event', Date.UTC(today.getUTCFullYear(), today.getUTCMonth()));
    expect(await rows('select * from platform.months($1)', [log])).toEqual([
      { part: `${log}_before`, lower_id: null, upper_id: month },
      { part: `${log}_later`, lower_id: month, upper_id: null },
    ]);
    const ids = [lowestId('event', Date.now() - YEAR), newId('event'), lowestId('event', Date.now() + YEAR)];
    for (const id of ids) await write(log, id);
    expect(await read(log)).toEqual(ids);
    expect(await partitionsOf(log)).toEqual(['before', 'later', 'later']);
  });

  it('are made while sessions write and read with what they have prepared, tenants included', async () => {
    const [{ role }] = (await rows(
      `select roles[1] as role from pg_policies where tablename = 'audit_events' and policyname = 'tenant'`,
    )) as [{ role: string }];
    const stopped = new AbortController();
    const written: string[] = [];
    const visitor = async (log: Log): Promise<void> => {
      const client = await connect();
      await client.query(`set role "${role}"; set app.workspace_id = 'wsp_a'`);
      let last = '';
      try {
        while (!stopped.signal.aborted) {
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
    const made = (async () => {
      for (const log of LOGS) await rows('select platform.make_months($1, now(), 3)', [log]);
    })().finally(() => stopped.abort());
    await Promise.all([made, ...LOGS.flatMap((log) => [visitor(log), visitor(log)])]);
    for (const log of LOGS) expect(await rows('select from platform.months($1)', [log])).toHaveLength(6);
    const seen = (await Promise.all(LOGS.map((log) => read(log)))).flat();
    expect(seen.sort()).toEqual(written.sort());
    await postgres.query(`set role "${role}"; set app.workspace_id = 'wsp_b'`);
    expect(await Promise.all(LOGS.map((log) => rows(`select from ${log}`)))).toEqual([[], []]);
  });
});
