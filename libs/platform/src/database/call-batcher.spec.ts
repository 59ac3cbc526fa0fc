import { CallBatcher } from './call-batcher.js';

interface Made {
  calls: readonly string[];
  /** Completes the statement. The result omits the rows of the calls at the positions in `leftOut`. */
  done: (leftOut?: readonly number[]) => void;
  fail: (error: Error) => void;
}

/** Creates a batcher whose statements complete when the test calls `done`. Each call returns itself. */
function aBatcher() {
  const made: Made[] = [];
  const batcher = new CallBatcher<{ said: unknown }>({
    one: (call) =>
      new Promise((resolve, fail) => {
        made.push({ calls: [call], done: () => resolve({ said: call }), fail });
      }),
    many: (calls) =>
      new Promise((resolve, fail) => {
        const done = (leftOut: readonly number[] = []): void => {
          const rows = calls.map((said, position) => [position, { said }] as const);
          resolve(new Map(rows.filter(([position]) => !leftOut.includes(position))));
        };
        made.push({ calls, done, fail });
      }),
  });
  const call = (text: string) => batcher.call(text);
  const sizes = () => made.map(({ calls }) => calls.length);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = async (count: number) => {
    while (made.length < count) await turn();
  };
  return { call, made, sizes, turn, until };
}

describe('a call batcher', () => {
  it('makes a single call by itself', async () => {
    const { call, made, sizes, turn } = aBatcher();
    const answer = call('a');
    await turn();
    expect(sizes()).toEqual([1]);
    made[0]?.done();
    expect(await answer).toEqual({ said: 'a' });
  });

  it('makes calls of one turn of the event loop together and gives each its own row', async () => {
    const { call, made, sizes, turn } = aBatcher();
    const answers = ['a', 'b', 'c'].map((value) => call(value));
    await turn();
    expect(sizes()).toEqual([3]);
    made[0]?.done();
    expect(await Promise.all(answers)).toEqual([{ said: 'a' }, { said: 'b' }, { said: 'c' }]);
  });

  const callEach = async ({ call, turn }: ReturnType<typeof aBatcher>, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      void call(String(n));
      await turn();
    }
  };

  it('gathers few calls while a batch is under way', async () => {
    const batcher = aBatcher();
    await callEach(batcher, 5);
    expect(batcher.sizes()).toEqual([1]);
    batcher.made[0]?.done();
    await batcher.until(2);
    expect(batcher.sizes()).toEqual([1, 4]);
  });

  it('makes a second batch of eight calls while one is under way, and then gathers calls', async () => {
    const batcher = aBatcher();
    await callEach(batcher, 20);
    expect(batcher.sizes()).toEqual([1, 8]);
    batcher.made[1]?.done();
    await batcher.until(3);
    expect(batcher.sizes()).toEqual([1, 8, 11]);
  });

  it('makes a call by itself if the batch has left it out', async () => {
    const { call, made, sizes, turn, until } = aBatcher();
    const answers = ['a', 'b', 'c'].map((value) => call(value));
    await turn();
    made[0]?.done([1]);
    expect(await answers[0]).toEqual({ said: 'a' });
    expect(await answers[2]).toEqual({ said: 'c' });
    await until(2);
    expect(sizes()).toEqual([3, 1]);
    made[1]?.done();
    expect(await answers[1]).toEqual({ said: 'b' });
  });

  it('rejects every call of a batch whose connection broke', async () => {
    const { call, made, turn } = aBatcher();
    const answers = Promise.allSettled([call('a'), call('b')]);
    await turn();
    const broken = new Error('broken');
    made[0]?.fail(broken);
    expect(await answers).toEqual([
      { status: 'rejected', reason: broken },
      { status: 'rejected', reason: broken },
    ]);
  });

  it('rejects only the call that fails after a batch has left it out', async () => {
    const { call, made, turn, until } = aBatcher();
    const answers = Promise.allSettled([call('a'), call('b')]);
    await turn();
    made[0]?.done([0]);
    await until(2);
    const wrong = new Error('wrong');
    made[1]?.fail(wrong);
    expect(await answers).toEqual([
      { status: 'rejected', reason: wrong },
      { status: 'fulfilled', value: { said: 'b' } },
    ]);
  });

  it('sends further batches while slow ones wait, for example for a lock', async () => {
    const { call, sizes, turn, until } = aBatcher();
    for (const value of ['a', 'b', 'c']) {
      void call(value);
      await turn();
    }
    expect(sizes()).toEqual([1]);
    await until(2);
    expect(sizes()).toEqual([1, 2]);
  });

  it('puts no more than 32 calls and half a megabyte of text into one batch', async () => {
    const many = aBatcher();
    for (let n = 0; n < 40; n++) void many.call(String(n));
    await many.until(2);
    expect(many.sizes()).toEqual([32, 8]);

    const long = aBatcher();
    for (let n = 0; n < 3; n++) void long.call('x'.repeat(200 * 1024));
    await long.until(1);
    long.made[0]?.done();
    await long.until(2);
    expect(long.sizes()).toEqual([2, 1]);
    void long.call('x'.repeat(1024 * 1024));
    long.made[1]?.done();
    await long.until(3);
    expect(long.sizes()).toEqual([2, 1, 1]);
  });
});
