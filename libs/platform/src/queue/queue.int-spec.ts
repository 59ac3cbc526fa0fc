import { randomBytes } from 'node:crypto';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { migrateQueue } from './migrate-queue.js';
import type { QueueSettings } from './queue-connection.js';
import { aQueueProcess, COUNT, type QueueProcess } from './testing/queue-process.js';
import { findRedis } from './testing/redis-server.js';

const redis = await findRedis();
if (!redis) console.warn('Redis suite did NOT run: no redis-server and nothing on 127.0.0.1:6379');

const queuePrefix = `test-${randomBytes(5).toString('hex')}`;
const opened: QueueProcess[] = [];
let settings: QueueSettings;

const aProcess = (): QueueProcess => {
  const process = aQueueProcess(settings);
  opened.push(process);
  return process;
};

afterEach(async () => {
  await Promise.all(opened.splice(0).map((process) => process.close()));
});

describe('the queue on Postgres', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await migrateQueue(database.url);
    settings = { databaseUrl: database.url, queuePrefix };
  });
  afterAll(() => database.drop());
  behavesLikeAQueue();
});

if (redis) {
  describe('the queue on Redis', () => {
    beforeAll(() => {
      settings = { redisUrl: redis.url, queuePrefix };
    });
    afterAll(() => redis.release(queuePrefix));
    behavesLikeAQueue();
  });
} else {
  describe('the queue on Redis', () => {
    it.skip('Redis suite did NOT run: no redis-server and nothing on 127.0.0.1:6379', () => undefined);
  });
}

/**
 * Waits until each of `count` enqueued jobs has an outcome, and returns the number of sent jobs. On a busy machine, the
 * store may respond later than the time limit for sending a job. The job then counts as failed, and workers find its
 * work by polling.
 */
async function sentOf(count: number, jobs: QueueProcess['jobs']): Promise<number> {
  const outcomes = ['sent', 'merged', 'failed'] as const;
  await eventually(async () => {
    const counts = await Promise.all(outcomes.map((outcome) => jobs(outcome)));
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
  });
  const sent = await jobs('sent');
  expect(sent).toBeGreaterThan(0);
  return sent;
}

function behavesLikeAQueue(): void {
  it('processes an enqueued job', async () => {
    const { queue, onCount } = aProcess();
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(seen).toEqual([1]));
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(seen).toEqual([1, 1]));
  });

  it('keeps a job for a worker that starts later', async () => {
    const { queue, onCount, jobs } = aProcess();
    queue.enqueue(COUNT, { n: 7 });
    await eventually(async () => expect(await jobs('sent')).toBe(1));
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    await eventually(() => expect(seen).toEqual([7]));
  });

  it('processes every job of a burst of 1 000', async () => {
    const { queue, onCount, jobs } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    for (let n = 0; n < 1_000; n += 1) queue.enqueue(COUNT, { n });
    const sent = await sentOf(1_000, jobs);
    await eventually(() => expect(seen.size).toBeGreaterThanOrEqual(sent));
    // In the service, workers find the work of failed jobs by polling. This test enqueues the jobs again.
    for (let n = 0; n < 1_000; n += 1) {
      await eventually(() => {
        if (!seen.has(n)) queue.enqueue(COUNT, { n });
        expect(seen).toContain(n);
      });
    }
    expect(await jobs('dropped')).toBe(0);
  });

  it('merges equal jobs of a burst', async () => {
    const { queue, onCount, jobs } = aProcess();
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    for (let i = 0; i < 50; i += 1) queue.enqueue(COUNT, { n: 3 });
    const sent = await sentOf(50, jobs);
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(sent));
    // On an idle machine, the queue merges the 50 jobs into one or two.
    expect(seen.length).toBeLessThan(50);
  });

  it('continues after a processor has thrown, and logs it', async () => {
    const { queue, onCount, logged } = aProcess();
    const seen: number[] = [];
    onCount((n) => {
      seen.push(n);
      if (n === 1) throw new Error('broken');
    });
    queue.enqueue(COUNT, { n: 1 });
    queue.enqueue(COUNT, { n: 2 });
    await eventually(() => expect([...seen].sort()).toEqual([1, 2]));
    expect(logged.filter(({ msg }) => msg === 'queue: job failed')).toHaveLength(1);
  });

  it('runs as many jobs at once as its concurrency allows, and no more', async () => {
    const { queue, onCount } = aProcess();
    const running: (() => void)[] = [];
    let most = 0;
    let done = 0;
    const work = async () => {
      await new Promise<void>((finish) => {
        running.push(finish);
        most = Math.max(most, running.length);
      });
      done += 1;
    };
    onCount(work, { concurrency: { [COUNT.queue]: 3 } });
    for (let n = 0; n < 30; n += 1) queue.enqueue(COUNT, { n });
    for (let left = 30; left > 0; left -= 1) {
      await eventually(() => expect(running).toHaveLength(Math.min(3, left)));
      running.shift()?.();
    }
    await eventually(() => expect(done).toBe(30));
    expect(most).toBe(3);
  });

  it('shares the jobs between two workers, each job once', async () => {
    const one = aProcess();
    const two = aProcess();
    const seen: { worker: number; n: number }[] = [];
    let bothHaveBegun = (): void => undefined;
    const both = new Promise<void>((resolve) => (bothHaveBegun = resolve));
    const work = (worker: number) => async (n: number) => {
      seen.push({ worker, n });
      if (new Set(seen.map((each) => each.worker)).size === 2) bothHaveBegun();
      await both;
    };
    one.onCount(work(1), { concurrency: { [COUNT.queue]: 2 } });
    two.onCount(work(2), { concurrency: { [COUNT.queue]: 2 } });
    for (let n = 0; n < 300; n += 1) one.queue.enqueue(COUNT, { n });
    await eventually(() => expect(seen).toHaveLength(300));
    expect(new Set(seen.map(({ n }) => n)).size).toBe(300);
    expect(new Set(seen.map(({ worker }) => worker)).size).toBe(2);
  });

  it('takes nothing more once it is paused, although it was waiting for a job', async () => {
    const { queue, worker, onCount, jobs } = aProcess();
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(seen).toEqual([1]));
    await worker.pause();
    queue.enqueue(COUNT, { n: 2 });
    await eventually(async () => expect(await jobs('sent')).toBe(2));

    const heir = aProcess();
    const inherited: number[] = [];
    heir.onCount((n) => void inherited.push(n));
    await eventually(() => expect(inherited).toEqual([2]));
    expect(seen).toEqual([1]);
  });

  it('closes only when the running jobs have ended', async () => {
    const { queue, worker, onCount } = aProcess();
    const events: string[] = [];
    let finish = (): void => undefined;
    onCount(async () => {
      events.push('begun');
      await new Promise<void>((resolve) => (finish = resolve));
      events.push('ended');
    });
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(events).toEqual(['begun']));
    const closed = worker.close({ drainMillis: 5_000 }).then(() => events.push('closed'));
    finish();
    await closed;
    expect(events).toEqual(['begun', 'ended', 'closed']);
  });

  it('closes without jobs that outlast the drain', async () => {
    const { queue, worker, onCount } = aProcess();
    let begun = false;
    onCount(() => {
      begun = true;
      return new Promise<void>(() => undefined);
    });
    queue.enqueue(COUNT, { n: 1 });
    await eventually(() => expect(begun).toBe(true));
    // `close` returns although the job never ends.
    await expect(worker.close({ drainMillis: 100 })).resolves.toBeUndefined();
  });

  it('drops jobs after it was closed', async () => {
    const { queue, jobs } = aProcess();
    await queue.close();
    queue.enqueue(COUNT, { n: 1 });
    expect(await jobs('dropped')).toBe(1);
  });

  it('reports that it is healthy', async () => {
    const { connection } = aProcess();
    await eventually(async () => expect(await connection.check()).toEqual({ ok: true }));
  });
}
