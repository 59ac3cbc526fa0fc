import { Redis } from 'ioredis';
import { eventually } from '../../../../test/support/eventually.js';
import { aQueueProcess, COUNT, type QueueProcess, warningsOf } from './testing/queue-process.js';
import { RedisServer, redisServerIsInstalled } from './testing/redis-server.js';

const NOTE = 'Redis faults were NOT tested: no redis-server is installed';
const installed = redisServerIsInstalled();
if (!installed) console.warn(NOTE);

(installed ? describe : describe.skip)(installed ? 'the queue when Redis fails' : NOTE, () => {
  let server: RedisServer;
  const opened: QueueProcess[] = [];
  const aProcess = (): QueueProcess => {
    const process = aQueueProcess({ redisUrl: server.url, queuePrefix: 'faults' });
    opened.push(process);
    return process;
  };

  beforeEach(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((process) => process.close()));
    await server.stop();
  });

  // This test comes first, because it counts the timers of the process, and timers of earlier tests could still run.
  it('closes while Redis is away, and its last timer ends after that', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const { queue, worker, onCount } = aProcess();
    const seen: number[] = [];
    onCount((n) => void seen.push(n));
    queue.enqueue(COUNT, { n: 0 });
    await eventually(() => expect(seen).toEqual([0]));
    await server.signal('SIGKILL');
    await Promise.all([queue.close(), worker.close({ drainMillis: 500 })]);
    await eventually(() => expect(timers()).toBeLessThanOrEqual(before));
  });

  it('closes when Redis was never there, whatever time its jobs would be given', async () => {
    await server.signal('SIGKILL');
    const { queue, worker, onCount } = aProcess();
    onCount(() => undefined);
    // `drainMillis` is longer than the time limit of the test, so the test passes only if `close` does not wait that
    // long.
    const closing = Promise.all([queue.close(), worker.close({ drainMillis: 2 ** 31 - 1 })]);
    await expect(closing).resolves.toBeDefined();
  });

  it('works again after kill -9 and a restart with nothing in it', async () => {
    const { queue, onCount, logged } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    queue.enqueue(COUNT, { n: 0 });
    await eventually(() => expect(seen).toContain(0));

    await server.signal('SIGKILL');
    // `enqueue` returns no promise, so the caller cannot wait for Redis.
    for (let n = 1; n <= 100; n += 1) expect(queue.enqueue(COUNT, { n })).toBeUndefined();

    await server.run();
    let n = 1_000;
    const enqueueAgain = () => {
      queue.enqueue(COUNT, { n: (n += 1) });
      expect([...seen].some((each) => each > 1_000)).toBe(true);
    };
    await eventually(enqueueAgain);
    expect(warningsOf(logged).size).toBeLessThanOrEqual(2);
  });

  it('counts jobs of an outage as failed and does not fail the caller', async () => {
    const { queue, jobs } = aProcess();
    queue.enqueue(COUNT, { n: 0 });
    await eventually(async () => expect(await jobs('sent')).toBe(1));
    await server.signal('SIGKILL');
    queue.enqueue(COUNT, { n: 1 });
    await eventually(async () => expect(await jobs('failed')).toBe(1));
  });

  it('gives up a job when Redis hangs, and works again when Redis continues', async () => {
    const { queue, jobs, onCount } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    queue.enqueue(COUNT, { n: 0 });
    await eventually(() => expect(seen).toContain(0));

    await server.signal('SIGSTOP');
    queue.enqueue(COUNT, { n: 1 });
    await eventually(async () => expect(await jobs('failed')).toBe(1));

    await server.signal('SIGCONT');
    const enqueueAgain = () => {
      queue.enqueue(COUNT, { n: 2 });
      expect(seen).toContain(2);
    };
    await eventually(enqueueAgain);
  });

  it('starts without Redis, keeps the first jobs, and works once Redis is there', async () => {
    await server.signal('SIGKILL');
    const { queue, onCount, connection } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    queue.enqueue(COUNT, { n: 5 });
    expect(await connection.check()).toMatchObject({ ok: false });
    await server.run();
    await eventually(() => expect(seen).toContain(5));
    expect(await connection.check()).toEqual({ ok: true });
  });

  it('receives jobs once a Redis that hung from the start continues, and blocks no other work meanwhile', async () => {
    await server.signal('SIGSTOP');
    const begun = process.uptime();
    const { queue, onCount } = aProcess();
    const seen = new Set<number>();
    onCount((n) => void seen.add(n));
    // Waits ten seconds, which is longer than the time limit of the first commands. If the worker retried in a busy
    // loop, this wait would never end.
    await eventually(() => expect(process.uptime()).toBeGreaterThan(begun + 10));
    await server.signal('SIGCONT');
    const enqueueAgain = () => {
      queue.enqueue(COUNT, { n: 3 });
      expect(seen).toContain(3);
    };
    await eventually(enqueueAgain);
  });

  it('stores the jobs of a burst as few jobs', async () => {
    const { queue, jobs } = aProcess();
    for (let n = 0; n < 65; n += 1) queue.enqueue(COUNT, { n });
    await eventually(async () => expect(await jobs('sent')).toBe(65));
    const admin = new Redis(server.url);
    // The first job is sent before the others arrive.
    expect(await admin.llen(`{faults}:${COUNT.queue}:wait`)).toBe(5);
    admin.disconnect();
  });

  it('is not healthy when Redis may evict waiting jobs', async () => {
    const { connection } = aProcess();
    await eventually(async () => expect(await connection.check()).toEqual({ ok: true }));
    const admin = new Redis(server.url);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await connection.check()).toMatchObject({ ok: false, problem: expect.stringContaining('allkeys-lru') });
    admin.disconnect();
  });

  it('is healthy where the service denies CONFIG, as managed ones do', async () => {
    const admin = new Redis(server.url);
    await admin.call('ACL', 'SETUSER', 'tenant', 'on', '>secret', '~*', '&*', '+@all', '-config');
    admin.disconnect();
    const tenant = aQueueProcess({ redisUrl: server.url.replace('//', '//tenant:secret@'), queuePrefix: 'faults' });
    opened.push(tenant);
    await eventually(async () => expect(await tenant.connection.check()).toEqual({ ok: true }));
  });

  it('keeps every key of the installation in one slot of a cluster', async () => {
    const { queue, jobs } = aProcess();
    queue.enqueue(COUNT, { n: 1 });
    await eventually(async () => expect(await jobs('sent')).toBe(1));
    const admin = new Redis(server.url);
    const keys = await admin.keys('*');
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith('{faults}:'))).toEqual([]);
    admin.disconnect();
  });
});
