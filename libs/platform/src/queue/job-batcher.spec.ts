import { type QueuedJob, JobBatcher, type JobBatcherSettings } from './job-batcher.js';

function aBatcher(settings: Partial<JobBatcherSettings> = {}) {
  const batches: (readonly QueuedJob[])[] = [];
  const settle: { done: () => void; fail: (error: Error) => void }[] = [];
  const seen = { sent: 0, failed: 0, merged: 0, dropped: 0 };
  const batcher = new JobBatcher(
    (jobs) => {
      batches.push(jobs);
      return new Promise((done, fail) => settle.push({ done, fail }));
    },
    { capacity: 100, batchSize: 10, ...settings },
    {
      sent: (count) => (seen.sent += count),
      failed: (count) => (seen.failed += count),
      merged: () => (seen.merged += 1),
      dropped: () => (seen.dropped += 1),
    },
  );
  const add = (runId: string) => batcher.add({ name: 'run.execute', payload: { runId } });
  const sizes = () => batches.map((batch) => batch.length);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, add, settle, seen, sizes, turn };
}

describe('a job batcher', () => {
  it('sends a single job before add() returns', () => {
    const { add, sizes } = aBatcher();
    add('a');
    expect(sizes()).toEqual([1]);
  });

  it('sends jobs together that are added while a batch is on its way', async () => {
    const { add, settle, sizes, turn } = aBatcher();
    for (const id of ['a', 'b', 'c', 'd']) add(id);
    settle[0]?.done();
    await turn();
    expect(sizes()).toEqual([1, 3]);
  });

  it('never sends more than a batch at once', async () => {
    const { add, settle, sizes, turn } = aBatcher({ batchSize: 2 });
    for (const id of ['a', 'b', 'c', 'd']) add(id);
    settle[0]?.done();
    await turn();
    settle[1]?.done();
    await turn();
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('merges equal jobs of the waiting batch, but not with the batch on its way', async () => {
    const { add, settle, seen, sizes, turn } = aBatcher();
    for (const id of ['a', 'a', 'a', 'b']) add(id);
    settle[0]?.done();
    await turn();
    expect(sizes()).toEqual([1, 2]);
    expect(seen.merged).toBe(1);
  });

  it('drops and counts jobs above its capacity', () => {
    const { add, seen } = aBatcher({ capacity: 2 });
    for (const id of ['a', 'b', 'c', 'd']) add(id);
    expect(seen.dropped).toBe(1);
  });

  it('gives up a batch that fails and continues with the next', async () => {
    const { batcher, add, settle, seen, turn } = aBatcher();
    for (const id of ['a', 'b', 'c']) add(id);
    settle[0]?.fail(new Error('away'));
    await turn();
    settle[1]?.done();
    await batcher.idle();
    expect(seen).toMatchObject({ failed: 1, sent: 2 });
    add('d');
    settle[2]?.done();
    await batcher.idle();
    expect(seen.sent).toBe(3);
  });

  it('survives a send that throws instead of rejecting', async () => {
    const failures: unknown[] = [];
    const ignore = () => undefined;
    const batcher = new JobBatcher(
      () => {
        throw new Error('closed');
      },
      { capacity: 1, batchSize: 1 },
      { sent: ignore, merged: ignore, dropped: ignore, failed: (_count, error) => failures.push(error) },
    );
    batcher.add({ name: 'run.execute', payload: {} });
    batcher.add({ name: 'run.execute', payload: {} });
    await batcher.idle();
    expect(failures).toHaveLength(2);
  });
});
