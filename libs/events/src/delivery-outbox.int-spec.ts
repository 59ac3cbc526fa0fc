import { randomBytes } from 'node:crypto';
import { lowestId, newId } from '@app/kernel';
import { createDataSource, Statements } from '@app/platform/database';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { type AttemptRecord, type ClaimedDelivery, DeliveryOutboxRepository } from './delivery-outbox.repository.js';

const POOL_SIZE = 12;
const IN_FLIGHT = 4;
const DEPTH = 32;
const LEASE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;
const TABLES = `('webhook_claims', 'webhook_deliveries', 'webhook_endpoints', 'webhook_messages')`;

describe('the outbox of deliveries', () => {
  let database: TestDatabase;
  let sql: DataSource;
  const workspaceId = newId('workspace');

  beforeAll(async () => {
    database = await createTestDatabase();
    sql = createDataSource({ url: database.url, poolSize: POOL_SIZE, applicationName: 'outbox-test' });
    await sql.initialize();
    await sql.query(`insert into workspaces (id, name) values ($1, 'outbox')`, [workspaceId]);
  });

  afterEach(() =>
    sql.query('truncate webhook_claims, webhook_deliveries, webhook_messages, webhook_endpoints cascade'),
  );

  afterAll(async () => {
    await sql.destroy();
    await database.drop();
  });

  const aSender = () => new DeliveryOutboxRepository(new Statements(sql));
  const claim = (sender: DeliveryOutboxRepository, { limit = 50, leaseMillis = LEASE_MILLIS } = {}) =>
    sender.claim({ limit, leaseMillis, inFlight: IN_FLIGHT, depth: DEPTH });
  const record = (sender: DeliveryOutboxRepository, records: AttemptRecord[]) => sender.record(records, 5 * DAY_MILLIS);

  async function endpoints(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('webhookEndpoint'));
    await sql.query(
      `insert into webhook_endpoints (id, workspace_id, url, events, secret)
         select id, $2, 'https://example.com/' || id, '{run.completed}', $3 from unnest($1::text[]) id`,
      [ids, workspaceId, randomBytes(32)],
    );
    return ids;
  }

  async function owe(ids: readonly string[], each: number, due = `clock_timestamp() - interval '1 second'`) {
    const batch = randomBytes(4).toString('hex');
    const statement = `with owed as (select $1 || '-${batch}-' || n as id from generate_series(1, $2::integer) n),
      messages as (insert into webhook_messages (event_id, workspace_id, occurred_at, snapshot) select 'evt_' || id, $3, now(), '{}' from owed)
      insert into webhook_deliveries (id, workspace_id, endpoint_id, event_id, event_type, next_at)
        select 'dlv_' || id, $3, $1, 'evt_' || id, 'run.completed', ${due} from owed`;
    for (const id of ids) await sql.query(statement, [id, each, workspaceId]);
  }

  const countBy = (claimed: readonly ClaimedDelivery[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { endpointId } of claimed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    return counts;
  };

  it('hands each delivery to one of many senders that claim at the same time', async () => {
    await owe(await endpoints(100), 6);
    const senders = Array.from({ length: 12 }, aSender);
    const claimed: string[] = [];
    await Promise.all(
      senders.map(async (sender) => {
        for (let empty = 0; empty < 3;) {
          const batch = await claim(sender, { limit: 7 });
          claimed.push(...batch.map(({ id }) => id));
          await record(
            sender,
            batch.map(({ id }) => ({ id, outcome: 'delivered', response_status: 200 })),
          );
          empty = batch.length === 0 ? empty + 1 : 0;
        }
      }),
    );
    claimed.push(...(await claim(aSender(), { limit: 600 })).map(({ id }) => id));
    expect(claimed).toHaveLength(600);
    expect(new Set(claimed).size).toBe(600);
  });

  it('lets several senders have as many of an endpoint as may be in flight, and one alone as many as it may hold', async () => {
    const [endpoint] = await endpoints(1);
    await owe([endpoint!], 100);
    const alone = aSender();
    expect(await claim(alone)).toHaveLength(DEPTH);
    expect(await claim(alone)).toEqual([]);
    expect(await claim(aSender())).toEqual([]);

    await sql.query('truncate webhook_claims');
    expect(await claim(aSender(), { limit: 1 })).toHaveLength(1);
    const others = await Promise.all(Array.from({ length: 6 }, () => claim(aSender())));
    expect(others.flat().length).toBeLessThanOrEqual(IN_FLIGHT - 1);
    for (let n = 0; n < IN_FLIGHT; n++) others.push(await claim(aSender()));
    expect(others.flat()).toHaveLength(IN_FLIGHT - 1);
  });

  it('takes a sender for dead after its lease, and does not listen to it any more', async () => {
    await owe(await endpoints(1), 1);
    const [dead, living] = [aSender(), aSender()];
    const [first] = await claim(dead, { leaseMillis: 0 });
    const [second] = await claim(living);
    expect(second?.id).toBe(first?.id);
    await record(dead, [{ id: first!.id, outcome: 'failed', response_status: 500 }]);
    expect(await sql.query('select status, attempts from webhook_deliveries')).toEqual([
      { status: 'pending', attempts: 0 },
    ]);
    await record(living, [{ id: first!.id, outcome: 'delivered', response_status: 204 }]);
    expect(await sql.query('select status, attempts, response_status from webhook_deliveries')).toEqual([
      { status: 'delivered', attempts: 1, response_status: 204 },
    ]);
  });

  it('claims beside the deliveries, which stay as they are, and leaves nothing behind what has ended', async () => {
    await owe(await endpoints(3), 4);
    const versions = () => sql.query('select id, ctid, xmin from webhook_deliveries order by id');
    const before = await versions();
    const sender = aSender();
    const claimed = await claim(sender);
    expect(claimed).toHaveLength(12);
    expect(await versions()).toEqual(before);
    const delivered = claimed.map(({ id }) => ({ id, outcome: 'delivered' as const, response_status: 200 }));
    await record(sender, delivered.slice(0, 6));
    const left = `select d.id from webhook_claims c cross join unnest(c.deliveries) as d(id) order by 1`;
    const rest = delivered.slice(6).map(({ id }) => ({ id }));
    expect(await sql.query(left)).toEqual(rest.sort((a, b) => (a.id < b.id ? -1 : 1)));
    await record(sender, delivered.slice(6));
    expect(await sql.query('select * from webhook_claims')).toEqual([]);
  });

  it('ignores results of deliveries that the sender has not claimed', async () => {
    await owe(await endpoints(1), 2);
    const sender = aSender();
    const [first, second] = await claim(sender);
    await sql.query('update webhook_claims set deliveries = array[$1]', [first!.id]);
    const records = [first!, second!].map(({ id }) => ({ id, outcome: 'delivered' as const, response_status: 200 }));
    await record(sender, records);
    expect(await sql.query('select id, status from webhook_deliveries order by status')).toEqual([
      { id: first!.id, status: 'delivered' },
      { id: second!.id, status: 'pending' },
    ]);
  });

  it('gives up what a disabled endpoint is owed, but not what a sender has at the moment', async () => {
    const [endpoint] = await endpoints(1);
    await owe([endpoint!], 3);
    const [held] = await claim(aSender(), { limit: 1 });
    await sql.query(`update webhook_endpoints set status = 'disabled', disabled_reason = 'requested'`);
    const statuses = () => sql.query('select id, status from webhook_deliveries order by status desc, id');
    await aSender().cancelUnwanted(10);
    expect(await statuses()).toMatchObject([
      { id: held!.id, status: 'pending' },
      { status: 'cancelled' },
      { status: 'cancelled' },
    ]);
    await sql.query('update webhook_claims set until = clock_timestamp()');
    await aSender().cancelUnwanted(10);
    expect(await sql.query('select distinct status from webhook_deliveries')).toEqual([{ status: 'cancelled' }]);
  });

  it('announces an event although others of its endpoint are on their way', async () => {
    await endpoints(1);
    const session = new Client({ connectionString: database.url });
    await session.connect();
    try {
      const heard: string[] = [];
      session.on('notification', ({ channel }) => heard.push(channel));
      await session.query('listen webhook_deliveries');
      const happens = () =>
        sql.query(`insert into events (id, workspace_id, type, data) values ($1, $2, 'run.completed', '{}')`, [
          newId('event'),
          workspaceId,
        ]);
      await happens();
      await happens();
      await session.query('select 1');
      expect(heard).toHaveLength(1);
      expect(await claim(aSender())).toHaveLength(2);
      await happens();
      await session.query('select 1');
      expect(heard).toHaveLength(2);
    } finally {
      await session.end();
    }
  });

  it('asks an endpoint that fails for one at a time, until it is well again', async () => {
    await owe(await endpoints(1), 10);
    const sender = aSender();
    const [first, ...unsent] = await claim(sender, { limit: 10 });
    await record(sender, [
      { id: first!.id, outcome: 'retry', retry_in_ms: 3_600_000, response_status: 500 },
      ...unsent.map(({ id }) => ({ id, outcome: 'returned' as const })),
    ]);
    const probe = await claim(sender);
    expect(probe).toHaveLength(1);
    expect(probe[0]?.attempts).toBe(0);
    expect(await claim(sender)).toEqual([]);
    await record(sender, [{ id: probe[0]!.id, outcome: 'delivered', response_status: 200 }]);
    expect(await claim(sender)).toHaveLength(8);
  });

  it('shares a claim among endpoints: full endpoints do not delay the others', async () => {
    const busy = await endpoints(60);
    await owe(busy, DEPTH + 5, `clock_timestamp() - interval '1 hour'`);
    const sender = aSender();
    for (let batch: unknown[] = [1]; batch.length > 0;) batch = await claim(sender, { limit: 500 });
    const [late] = await endpoints(1);
    await owe([late!], 3);
    expect(countBy(await claim(sender))).toEqual(new Map([[late, 3]]));
  });

  it('purges expired messages and keeps pending ones', async () => {
    const [endpoint] = await endpoints(1);
    const old = Array.from({ length: 5 }, (_, n) => lowestId('event', Date.now() - 40 * DAY_MILLIS + n));
    const young = newId('event');
    for (const id of [...old, young])
      await sql.query(
        `with message as (insert into webhook_messages (event_id, workspace_id, occurred_at, snapshot) values ($1, $2, now(), '{}'))
         insert into webhook_deliveries (id, workspace_id, endpoint_id, event_id, event_type, status, next_at)
           values (platform.new_id('dlv'), $2, $3, $1, 'run.completed', $4, $5)`,
        [
          id,
          workspaceId,
          endpoint,
          ...(id === old[1] ? ['pending', new Date(Date.now() + DAY_MILLIS)] : ['delivered', null]),
        ],
      );
    const before = lowestId('event', Date.now() - 30 * DAY_MILLIS);
    expect(await aSender().purgeMessages(before, 3)).toBe(3);
    expect(await aSender().purgeMessages(before, 3)).toBe(1);
    const left = await sql.query<{ event_id: string }[]>('select event_id from webhook_deliveries order by event_id');
    expect(left.map((row) => row.event_id)).toEqual([old[1], young]);
    expect(await sql.query('select event_id from webhook_messages order by event_id')).toEqual(left);
  });

  describe('with a hundred thousand deliveries that wait for their next attempt', () => {
    let session: DataSource;
    let waiting: string[];

    beforeAll(async () => {
      waiting = await endpoints(10);
      await owe(waiting, 10_000, `clock_timestamp() + interval '1 day'`);
      await sql.query('analyze webhook_deliveries, webhook_messages, webhook_endpoints');
      // The sessions that wrote the deliveries must not add their counts while the test counts.
      const flushes = Array.from({ length: POOL_SIZE }, () => sql.query('select pg_stat_force_next_flush()'));
      await Promise.all(flushes);
      // Postgres counts the rows that a session reads, but adds the count to its statistics only when the session
      // flushes. This pool has only one session, which flushes on request, so the count is exact.
      session = createDataSource({ url: database.url, poolSize: 1, applicationName: 'outbox-test' });
      await session.initialize();
    });
    afterAll(() => session.destroy());

    async function rowsRead(work: () => Promise<unknown>): Promise<number> {
      const count = async () => {
        await session.query('select pg_stat_force_next_flush()');
        const [row] = await session.query<{ read: string }[]>(
          `select (select sum(seq_tup_read) from pg_stat_user_tables where relname in ${TABLES})
             + (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ${TABLES}) as read`,
        );
        return Number(row!.read);
      };
      const before = await count();
      await work();
      return (await count()) - before;
    }

    it('reads what is due and little else, and lets an event be written without reading them', async () => {
      const outbox = new DeliveryOutboxRepository(new Statements(session));
      expect(await rowsRead(async () => expect(await claim(outbox)).toEqual([]))).toBeLessThan(200);
      expect(await rowsRead(() => outbox.cancelUnwanted(1_000))).toBeLessThan(200);
      const [fresh] = await endpoints(1);
      await owe([fresh!, waiting[0]!], 2);
      const reading = rowsRead(async () => expect(await claim(outbox)).toHaveLength(4));
      expect(await reading).toBeLessThan(400);

      const event = newId('event');
      const writing = rowsRead(() =>
        session.query(`insert into events (id, workspace_id, type, data) values ($1, $2, 'run.completed', '{}')`, [
          event,
          workspaceId,
        ]),
      );
      expect(await writing).toBeLessThan(300);
      const owed = await sql.query<unknown[]>('select id from webhook_deliveries where event_id = $1', [event]);
      expect(owed).toHaveLength(waiting.length + 1);
    });
  });
});
