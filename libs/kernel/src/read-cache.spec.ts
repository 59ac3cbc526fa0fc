import { ReadCache } from './read-cache.js';

/** Creates a source that returns a new object for each read, and a clock that the test advances. */
function aSource() {
  let millis = 0;
  let reads = 0;
  return {
    clock: { monotonicMillis: () => millis },
    pass: (by: number) => (millis += by),
    read: async () => ({ read: ++reads }),
    reads: () => reads,
  };
}

describe('a read cache', () => {
  it('answers from memory until the value reaches its maximum age', async () => {
    const { clock, pass, read } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    expect(cache.peek('a')).toBeUndefined();
    expect(await cache.get('a', read)).toEqual({ read: 1 });
    pass(999);
    expect(cache.peek('a')).toEqual({ read: 1 });
    expect(await cache.get('a', read)).toEqual({ read: 1 });
    pass(1);
    expect(await cache.get('a', read)).toEqual({ read: 2 });
  });

  it('counts the age from before the read began', async () => {
    const { clock, pass, read } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    await cache.get('a', () => {
      pass(600);
      return read();
    });
    pass(400);
    expect(await cache.get('a', read)).toEqual({ read: 2 });
  });

  it('shares one read between callers that ask at the same time', async () => {
    const { clock, read, reads } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    await Promise.all(Array.from({ length: 5 }, () => cache.get('a', read)));
    expect(reads()).toBe(1);
  });

  it('caches neither absence nor failure', async () => {
    const { clock, read } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    expect(await cache.get('a', async () => undefined)).toBeUndefined();
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('a', read)).toEqual({ read: 1 });
  });

  it('does not cache the result of a read that was in progress when the key was invalidated', async () => {
    const { clock, read } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    const stale = cache.get('a', read);
    cache.invalidate('a');
    expect(await stale).toEqual({ read: 1 });
    expect(await cache.get('a', read)).toEqual({ read: 2 });
  });

  it('invalidates all keys at once, also those of reads in progress', async () => {
    const { clock, read } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 10, maxAgeMillis: 1_000, clock });
    await cache.get('a', read);
    const stale = cache.get('b', read);
    cache.invalidateAll();
    expect(await stale).toEqual({ read: 2 });
    expect(cache.peek('a')).toBeUndefined();
    expect(cache.peek('b')).toBeUndefined();
    expect(await cache.get('b', read)).toEqual({ read: 3 });
  });

  it('drops the least recently used value when it is full', async () => {
    const { clock, read, reads } = aSource();
    const cache = new ReadCache<{ read: number }>({ limit: 2, maxAgeMillis: Infinity, clock });
    await cache.get('a', read);
    await cache.get('b', read);
    await cache.get('a', read);
    await cache.get('c', read);
    await cache.get('a', read);
    expect(reads()).toBe(3);
    await cache.get('b', read);
    expect(reads()).toBe(4);
  });
});
