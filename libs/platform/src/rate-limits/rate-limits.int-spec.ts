import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { findRedis } from '../queue/testing/redis-server.js';
import { RateLimits } from './index.js';

const LIMITS = { requests: 2, triggers: 1, failedAuthentication: 0, signIn: 2, modelChecks: 1 };
const NOBODY_LISTENS = 'redis://127.0.0.1:1';
const redis = await findRedis();

describe('rate limits', () => {
  const queuePrefix = `test-${randomBytes(6).toString('hex')}`;
  const opened: RateLimits[] = [];

  /** Creates the rate limits as RateLimitsModule does, but waits for the connection to Redis. */
  const open = async (url?: string): Promise<RateLimits> => {
    // A client whose connection was refused keeps the process alive until its disconnect timeout has passed.
    const options = { maxRetriesPerRequest: 0, lazyConnect: true, disconnectTimeout: 10 };
    const client = url === undefined ? undefined : new Redis(url, options);
    client?.on('error', () => undefined);
    await client?.connect().catch(() => undefined);
    const limits = new RateLimits({
      limits: LIMITS,
      keyPrefix: `{${queuePrefix}}:limit`,
      ...(client && { redis: client }),
    });
    opened.push(limits);
    return limits;
  };

  afterEach(() => {
    for (const limits of opened.splice(0)) limits.onApplicationShutdown();
  });

  afterAll(() => redis?.release(queuePrefix));

  const places: [string, string | undefined][] = [
    ['in memory', undefined],
    ['in memory where the Redis that they should use is away', NOBODY_LISTENS],
  ];
  if (redis) places.push(['on Redis', redis.url]);

  it.each(places)('count %s, each key and each kind for itself', async (_where, url) => {
    const limits = await open(url);
    const [ann, bob] = [randomBytes(4).toString('hex'), randomBytes(4).toString('hex')];
    await expect(limits.take('requests', ann)).resolves.toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    await expect(limits.take('requests', ann)).resolves.toMatchObject({ allowed: true, remaining: 0 });
    const refused = await limits.take('requests', ann);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused?.resetsIn).toBeGreaterThanOrEqual(1);
    expect(refused?.resetsIn).toBeLessThanOrEqual(60);
    await expect(limits.take('requests', bob)).resolves.toMatchObject({ allowed: true });
    await expect(limits.take('triggers', ann)).resolves.toMatchObject({ allowed: true, limit: 1 });
    await expect(limits.take('failedAuthentication', ann)).resolves.toBeUndefined();
    await limits.take('signIn', ann);
    await limits.take('signIn', ann);
    await limits.giveBack('signIn', ann);
    await expect(limits.take('signIn', ann)).resolves.toMatchObject({ allowed: true, remaining: 0 });
    await expect(limits.take('signIn', ann)).resolves.toMatchObject({ allowed: false });
  });

  it.each(places)('count %s callers that arrive at the same time one after the other', async (_where, url) => {
    const limits = await open(url);
    const key = randomBytes(4).toString('hex');
    const together = async (times: number) =>
      (await Promise.all(Array.from({ length: times }, () => limits.take('requests', key)))).map(
        (each) => `${each?.allowed} ${each?.remaining}`,
      );
    expect(await together(4)).toEqual(['true 1', 'true 0', 'false 0', 'false 0']);
    expect(await together(2)).toEqual(['false 0', 'false 0']);
  });

  (redis ? it : it.skip)('on Redis send few commands for callers that arrive at the same time', async () => {
    const limits = await open(redis?.url);
    const sent = jest.spyOn(Redis.prototype, 'sendCommand');
    const key = randomBytes(4).toString('hex');
    await Promise.all(Array.from({ length: 50 }, () => limits.take('requests', key)));
    // The first caller, all others, and the script if Redis does not know it yet.
    expect(sent.mock.calls.length).toBeLessThanOrEqual(4);
    sent.mockRestore();
  });

  (redis ? it : it.skip)('on Redis are shared by the processes of a fleet', async () => {
    const [one, other] = [await open(redis?.url), await open(redis?.url)];
    await one.take('triggers', 'agent');
    await expect(other.take('triggers', 'agent')).resolves.toMatchObject({ allowed: false });
  });
});
