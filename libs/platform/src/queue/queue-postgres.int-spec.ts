import { Test } from '@nestjs/testing';
import { Client } from 'pg';
import { createLogger, ObservabilityModule } from '@app/platform/observability';
import { eventually } from '../../../../test/support/eventually.js';
import { createEmptyTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { settingsModule } from '../../../../test/support/settings-module.js';
import { JobQueueService } from './job-queue.service.js';
import { JobWorker } from './job.worker.js';
import { migrateQueue } from './migrate-queue.js';
import { QueueModule } from './queue.module.js';
import { aQueueProcess, COUNT, type QueueProcess, warningsOf } from './testing/queue-process.js';

describe('the sessions and tables of the queue on Postgres', () => {
  let database: TestDatabase;
  let admin: Client;
  let name: string;
  const opened: QueueProcess[] = [];
  const aProcess = (): QueueProcess => {
    const process = aQueueProcess({ databaseUrl: database.url, queuePrefix: 'unused' });
    opened.push(process);
    return process;
  };
  const sessions = async (like: string): Promise<number> => {
    const { rows } = await admin.query(
      'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE $2',
      [name, like],
    );
    return rows[0].n;
  };
  const query = async (statement: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const endSessions = () =>
    admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'queue %'`,
      [name],
    );

  beforeEach(async () => {
    database = await createEmptyTestDatabase();
    const url = new URL(database.url);
    name = url.pathname.slice(1);
    url.pathname = '/postgres';
    admin = new Client({ connectionString: url.href });
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((process) => process.close()));
    await admin.end();
    await database.drop();
  });

  it('is not healthy before the migration, and starts to work without a restart after it', async () => {
    const { queue, onCount, connection } = aProcess();
    expect(await connection.check()).toMatchObject({ ok: false, problem: expect.stringContaining('migrations') });
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    await Promise.all([migrateQueue(database.url), migrateQueue(database.url)]);
    await migrateQueue(database.url);
    expect(await connection.check()).toEqual({ ok: true });
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(seen).toEqual([1]));
  });

  it('writes no WAL for jobs, which may be lost', async () => {
    await migrateQueue(database.url);
    const rows = await query(
      `SELECT relname, relpersistence FROM pg_class WHERE relnamespace = 'bullmq'::regnamespace AND relname IN ('job', 'event') ORDER BY 1`,
    );
    expect(rows).toEqual([
      { relname: 'event', relpersistence: 'u' },
      { relname: 'job', relpersistence: 'u' },
    ]);
  });

  it('continues after every session was ended, the listening one included', async () => {
    await migrateQueue(database.url);
    const { queue, onCount, logged } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    queue.enqueue(COUNT, { n: 0 });
    await eventually(() => expect(seen).toContain(0));
    await endSessions();
    let n = 0;
    const enqueueAgain = () => {
      queue.enqueue(COUNT, { n: (n += 1) });
      expect(seen.size).toBeGreaterThan(1);
    };
    await eventually(enqueueAgain);
    expect(warningsOf(logged).size).toBeLessThanOrEqual(2);
  });

  it('survives a database that refuses connections for a while', async () => {
    await migrateQueue(database.url);
    const { queue, onCount, jobs } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    const before = Array.from({ length: 50 }, (_, n) => n + 200);
    for (const n of before) queue.enqueue(COUNT, { n });
    await eventually(() => expect([...seen]).toEqual(expect.arrayContaining(before)));

    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await endSessions();
    expect(queue.enqueue(COUNT, { n: 100 })).toBeUndefined();
    await eventually(async () => expect(await jobs('failed')).toBe(1));
    expect(await sessions('queue %')).toBe(0);
    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);

    const enqueueAgain = () => {
      queue.enqueue(COUNT, { n: 101 });
      expect(seen).toContain(101);
    };
    await eventually(enqueueAgain);
  });

  it('needs at most 2 sessions to enqueue and 6 to work, whatever the number of jobs', async () => {
    await migrateQueue(database.url);
    const { queue, onCount } = aProcess();
    let done = 0;
    onCount(() => void (done += 1));
    let most = 0;
    const watch = async () => {
      most = Math.max(most, await sessions('queue consumer'));
      expect(done).toBe(1_000);
    };
    for (let n = 0; n < 1_000; n += 1) queue.enqueue(COUNT, { n });
    await eventually(watch);
    expect(await sessions('queue publisher')).toBeLessThanOrEqual(2);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('is provided by Nest, and closed with the app', async () => {
    await migrateQueue(database.url);
    const settings = settingsModule({ DATABASE_URL: database.url });
    const logger = createLogger({ level: 'silent', format: 'json', name: 'test' });
    const app = await Test.createTestingModule({
      imports: [settings, ObservabilityModule.of(logger), QueueModule],
    }).compile();
    const seen: number[] = [];
    app.get(JobWorker).start({ count: COUNT }, { count: async ({ n }) => void seen.push(n) });
    app.get(JobQueueService).enqueue(COUNT, { n: 1 });
    await eventually(() => expect(seen).toEqual([1]));
    expect(await app.get(JobQueueService).check()).toEqual({ ok: true });
    await app.close();
    await eventually(async () => expect(await sessions('queue %')).toBe(0));
  });

  it('deletes each job that is done', async () => {
    await migrateQueue(database.url);
    const { queue, onCount } = aProcess();
    let done = 0;
    onCount((n) => {
      done += 1;
      if (n % 2 === 0) throw new Error('broken');
    });
    for (let n = 0; n < 20; n += 1) queue.enqueue(COUNT, { n });
    await eventually(() => expect(done).toBe(20));
    await eventually(async () => expect(await query('SELECT id FROM bullmq.job')).toEqual([]));
  });
});
