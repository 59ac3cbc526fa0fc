import type { Ring } from './ring-batcher.js';
import { packRings, unpackRings } from './ring-pack.js';

const someRings = (count: number): Ring[] =>
  Array.from({ length: count }, (_, n) => ({ name: 'run.execute', payload: { n } }));
const unpacked = (jobs: readonly Ring[]) => jobs.flatMap(({ name, payload }) => unpackRings(name, payload));

describe('packs of rings', () => {
  it.each([1, 2, 5, 64, 65, 500])('carry %d rings, each once and in order', (count) => {
    const rings = someRings(count);
    expect(unpacked(packRings(rings))).toEqual(rings.map(({ name, payload }) => ({ name, data: payload })));
  });

  it('leave few rings on their own and spread a burst over several jobs', () => {
    expect(packRings(someRings(4))).toEqual(someRings(4));
    expect(packRings(someRings(14))).toHaveLength(4);
    expect(packRings(someRings(160))).toHaveLength(10);
  });

  it.each([null, 'text', {}, { rings: 'text' }, { rings: [null, { name: 1, payload: {} }] }])(
    'are empty where they make no sense: %j',
    (data) => expect(unpackRings('rings.pack', data)).toEqual([]),
  );
});
