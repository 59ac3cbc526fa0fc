import { Semaphore } from './semaphore.js';

describe('the slots of a semaphore', () => {
  it('are acquired until none is free, and again after a release', () => {
    const two = new Semaphore(2);
    const first = two.tryAcquire();
    expect(two.tryAcquire()).toBeDefined();
    expect(two.tryAcquire()).toBeUndefined();
    first?.();
    expect(two.tryAcquire()).toBeDefined();
  });

  it('are released once, however often the caller releases them', () => {
    const one = new Semaphore(1);
    const free = one.tryAcquire();
    expect([free?.(), free?.()]).toEqual([true, false]);
    expect(one.tryAcquire()).toBeDefined();
    expect(one.tryAcquire()).toBeUndefined();
  });

  it('pass directly to the longest waiter, before a caller that only tries', async () => {
    const one = new Semaphore(1);
    const free = one.tryAcquire();
    const order: string[] = [];
    const waiting = ['a', 'b'].map((name) => one.acquire().then((release) => (order.push(name), release)));
    free?.();
    expect(one.tryAcquire()).toBeUndefined();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual(['a', 'b']);
  });

  it('pass over a waiter whose signal aborts', async () => {
    const one = new Semaphore(1);
    const free = one.tryAcquire();
    const leaving = new AbortController();
    const left = one.acquire(leaving.signal);
    const next = one.acquire();
    leaving.abort('left');
    await expect(left).rejects.toBe('left');
    free?.();
    expect((await next)()).toBe(true);
    await expect(one.acquire(AbortSignal.abort('gone'))).rejects.toBe('gone');
    expect(one.tryAcquire()).toBeDefined();
  });

  it('are released after work that fails', async () => {
    const one = new Semaphore(1);
    await expect(one.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await one.run(() => Promise.resolve('done'))).toBe('done');
  });
});
