import { type QueuedJob, packJobs, unpackJobs } from './job-batcher.js';

const someJobs = (count: number): QueuedJob[] =>
  Array.from({ length: count }, (_, n) => ({ name: 'run.execute', payload: { n } }));
const unpacked = (jobs: readonly QueuedJob[]) => jobs.flatMap(({ name, payload }) => unpackJobs(name, payload));

describe('packs of jobs', () => {
  it.each([1, 2, 5, 64, 65, 500])('carry %d jobs, each once and in order', (count) => {
    const jobs = someJobs(count);
    expect(unpacked(packJobs(jobs))).toEqual(jobs.map(({ name, payload }) => ({ name, data: payload })));
  });

  it('keep few jobs separate and spread a burst over several packs', () => {
    expect(packJobs(someJobs(4))).toEqual(someJobs(4));
    expect(packJobs(someJobs(14))).toHaveLength(4);
    expect(packJobs(someJobs(160))).toHaveLength(10);
  });

  it.each([null, 'text', {}, { rings: 'text' }, { rings: [null, { name: 1, payload: {} }] }])(
    'are empty if they are malformed: %j',
    (data) => expect(unpackJobs('rings.pack', data)).toEqual([]),
  );
});
