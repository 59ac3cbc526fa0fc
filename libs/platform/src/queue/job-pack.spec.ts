import type { QueuedJob } from './job-batcher.js';
import { packJobs, unpackJobs } from './job-pack.js';

const someRings = (count: number): QueuedJob[] =>
  Array.from({ length: count }, (_, n) => ({ name: 'run.execute', payload: { n } }));
const unpacked = (jobs: readonly QueuedJob[]) => jobs.flatMap(({ name, payload }) => unpackJobs(name, payload));

describe('packs of rings', () => {
  it.each([1, 2, 5, 64, 65, 500])('carry %d rings, each once and in order', (count) => {
    const rings = someRings(count);
    expect(unpacked(packJobs(rings))).toEqual(rings.map(({ name, payload }) => ({ name, data: payload })));
  });

  it('leave few rings on their own and spread a burst over several jobs', () => {
    expect(packJobs(someRings(4))).toEqual(someRings(4));
    expect(packJobs(someRings(14))).toHaveLength(4);
    expect(packJobs(someRings(160))).toHaveLength(10);
  });

  it.each([null, 'text', {}, { rings: 'text' }, { rings: [null, { name: 1, payload: {} }] }])(
    'are empty where they make no sense: %j',
    (data) => expect(unpackJobs('rings.pack', data)).toEqual([]),
  );
});
