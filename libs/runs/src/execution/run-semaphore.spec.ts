import { RunSemaphore } from './run-semaphore.js';

const slots = (workerConcurrency: number) =>
  new RunSemaphore({ workerConcurrency } as ConstructorParameters<typeof RunSemaphore>[0]);

describe('run slots', () => {
  it('are given until none is left, and again when one is free', () => {
    const two = slots(2);
    const first = two.tryAcquire();
    expect(two.tryAcquire()).toBeDefined();
    expect(two.tryAcquire()).toBeUndefined();
    first?.();
    expect(two.tryAcquire()).toBeDefined();
  });

  it('are given back once, however often it is said', () => {
    const one = slots(1);
    const free = one.tryAcquire();
    expect([free?.(), free?.()]).toEqual([true, false]);
    expect(one.tryAcquire()).toBeDefined();
    expect(one.tryAcquire()).toBeUndefined();
  });

  it('pass straight to whoever has waited the longest, past those who only try', async () => {
    const one = slots(1);
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
