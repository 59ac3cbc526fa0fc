import { type QueuedJob, JobBatcher, type JobBatcherSettings } from './job-batcher.js';

function aBatcher(settings: Partial<JobBatcherSettings> = {}) {
  const batches: (readonly QueuedJob[])[] = [];
  const settle: { done: () => void; fail: (error: Error) => void }[] = [];
  const seen = { sent: 0, failed: 0, merged: 0, dropped: 0 };
  const batcher = new JobBatcher(
    (rings) => {
      batches.push(rings);
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
  const ring = (runId: string) => batcher.add({ name: 'run.execute', payload: { runId } });
  const sizes = () => batches.map((batch) => batch.length);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, ring, settle, seen, sizes, turn };
}

describe('a ring batcher', () => {
  it('sends a single ring before ring() returns', () => {
    const { ring, sizes } = aBatcher();
    ring('a');
    expect(sizes()).toEqual([1]);
  });

  it('sends together what is rung while a batch is on its way', async () => {
    const { ring, settle, sizes, turn } = aBatcher();
    for (const id of ['a', 'b', 'c', 'd']) ring(id);
    settle[0]?.done();
    await turn();
    expect(sizes()).toEqual([1, 3]);
  });

  it('never sends more than a batch at once', async () => {
    const { ring, settle, sizes, turn } = aBatcher({ batchSize: 2 });
    for (const id of ['a', 'b', 'c', 'd']) ring(id);
    settle[0]?.done();
    await turn();
    settle[1]?.done();
    await turn();
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('lets equal rings share one place in the batch that waits, but not in the one that has left', async () => {
    const { ring, settle, seen, sizes, turn } = aBatcher();
    for (const id of ['a', 'a', 'a', 'b']) ring(id);
    settle[0]?.done();
    await turn();
    expect(sizes()).toEqual([1, 2]);
    expect(seen.merged).toBe(1);
  });

  it('drops and counts rings above its capacity', () => {
    const { ring, seen } = aBatcher({ capacity: 2 });
    for (const id of ['a', 'b', 'c', 'd']) ring(id);
    expect(seen.dropped).toBe(1);
  });

  it('gives up a batch that fails and goes on with the next', async () => {
    const { batcher, ring, settle, seen, turn } = aBatcher();
    for (const id of ['a', 'b', 'c']) ring(id);
    settle[0]?.fail(new Error('away'));
    await turn();
    settle[1]?.done();
    await batcher.idle();
    expect(seen).toMatchObject({ failed: 1, sent: 2 });
    ring('d');
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
