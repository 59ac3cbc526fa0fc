import { type Clock, systemClock } from '@app/kernel';
import { PeriodicTask } from './periodic-task.js';

/** A clock that records each pause and ends it after one turn of the event loop. */
function aRestlessClock() {
  const pauses: number[] = [];
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonicMillis: () => systemClock.monotonicMillis(),
    sleep: (millis) => {
      pauses.push(millis);
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
  return { clock, pauses };
}

/** Creates work that counts its executions. `isEnough` resolves after `enough` executions. */
function countedWork(enough: number, round: (n: number) => unknown = () => undefined) {
  const seen = { rounds: 0 };
  let tell: () => void = () => undefined;
  const isEnough = new Promise<void>((resolve) => (tell = resolve));
  const work = async (): Promise<unknown> => {
    seen.rounds += 1;
    if (seen.rounds === enough) tell();
    return round(seen.rounds);
  };
  return { seen, work, isEnough };
}

function noError(error: unknown): void {
  throw error;
}

describe('a periodic task', () => {
  it('repeats its work, with pauses that differ by up to a fifth', async () => {
    const { clock, pauses } = aRestlessClock();
    const { work, isEnough } = countedWork(200);
    const task = new PeriodicTask(clock, { everyMillis: 1_000, work, onError: noError });
    task.start();
    await isEnough;
    await task.stop();
    expect(pauses.length).toBeGreaterThanOrEqual(199);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(800);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_200);
    expect(new Set(pauses).size).toBeGreaterThan(10);
  });

  it('does not pause while there is more to do', async () => {
    const { clock, pauses } = aRestlessClock();
    const pausesAt: number[] = [];
    const { work, isEnough } = countedWork(6, (n) => {
      pausesAt.push(pauses.length);
      return n < 5 ? 'again' : undefined;
    });
    const task = new PeriodicTask(clock, { everyMillis: 1_000, work, onError: noError });
    task.start();
    await isEnough;
    await task.stop();
    expect(pausesAt.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('waits before the first round if `waitsFirst` is set', async () => {
    const { clock, pauses } = aRestlessClock();
    const pausesAt: number[] = [];
    const { work, isEnough } = countedWork(1, () => void pausesAt.push(pauses.length));
    const task = new PeriodicTask(clock, { everyMillis: 1_000, waitsFirst: true, work, onError: noError });
    task.start();
    await isEnough;
    await task.stop();
    expect(pausesAt[0]).toBe(1);
  });

  it('begins each round when a pause of its own ends', async () => {
    const { clock, pauses } = aRestlessClock();
    const { work, isEnough } = countedWork(3, () => void pausesAt.push(own));
    let own = 0;
    const pausesAt: number[] = [];
    const pause = async (): Promise<void> => void (own += 1);
    const task = new PeriodicTask(clock, { pause, work, onError: noError });
    task.start();
    await isEnough;
    await task.stop();
    expect(pausesAt.slice(0, 3)).toEqual([1, 2, 3]);
    expect(pauses).toEqual([]);
  });

  it('reports a failed round, pauses, and continues', async () => {
    const { clock, pauses } = aRestlessClock();
    const errors: unknown[] = [];
    const { work, isEnough } = countedWork(3, (n) => {
      if (n === 1) throw new Error('the database is away');
    });
    const task = new PeriodicTask(clock, { everyMillis: 1_000, work, onError: (error) => errors.push(error) });
    task.start();
    await isEnough;
    await task.stop();
    expect(errors).toEqual([new Error('the database is away')]);
    expect(pauses.length).toBeGreaterThanOrEqual(2);
  });

  it('ends a pause at once when it is stopped, and begins no further round', async () => {
    const { seen, work, isEnough } = countedWork(1);
    const task = new PeriodicTask(systemClock, { everyMillis: 3_600_000, work, onError: noError });
    task.start();
    await isEnough;
    await task.stop();
    task.start();
    expect(seen.rounds).toBe(1);
  });

  it('is stopped only when the current round has ended, and aborts its signal', async () => {
    const order: string[] = [];
    let tellBegun: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (tellBegun = resolve));
    const task = new PeriodicTask(systemClock, {
      everyMillis: 1,
      work: async (signal) => {
        tellBegun();
        await systemClock.sleep(3_600_000, signal);
        await new Promise((resolve) => setImmediate(resolve));
        order.push('round over');
      },
      onError: noError,
    });
    task.start();
    await begun;
    await task.stop();
    order.push('stopped');
    expect(order).toEqual(['round over', 'stopped']);
    expect(task.stopping.aborted).toBe(true);
  });

  it('runs one loop however often it is started', async () => {
    const { clock } = aRestlessClock();
    let underWay = 0;
    let most = 0;
    const { work, isEnough } = countedWork(20);
    const task = new PeriodicTask(clock, {
      everyMillis: 1,
      work: async () => {
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return work();
      },
      onError: noError,
    });
    task.start();
    task.start();
    await isEnough;
    await task.stop();
    expect(most).toBe(1);
  });
});
