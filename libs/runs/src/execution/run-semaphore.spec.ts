import { RunSemaphore } from './run-executor.service.js';

describe('run slots', () => {
  it('are acquired until none is free, and again after a release', () => {
    const two = new RunSemaphore(2);
    const first = two.tryAcquire();
    expect(two.tryAcquire()).toBeDefined();
    expect(two.tryAcquire()).toBeUndefined();
    first?.();
    expect(two.tryAcquire()).toBeDefined();
  });

  it('are released once, however often the caller releases them', () => {
    const one = new RunSemaphore(1);
    const free = one.tryAcquire();
    expect([free?.(), free?.()]).toEqual([true, false]);
    expect(one.tryAcquire()).toBeDefined();
    expect(one.tryAcquire()).toBeUndefined();
  });

  it('pass directly to the longest waiter, before a caller that only tries', async () => {
    const one = new RunSemaphore(1);
    const free = one.tryAcquire();
    const order: string[] = [];
    const waiting = ['a', 'b'].map((name) => one.acquire().then((release) => (order.push(name), release)));
    free?.();
    expect(one.tryAcquire()).toBeUndefined();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual(['a', 'b']);
  });
});
