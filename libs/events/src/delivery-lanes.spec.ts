import { DeliveryLanes } from './delivery-lanes.js';

interface Sent {
  endpointId: string;
  n: number;
}

/** Creates delivery lanes whose requests end only when the test calls `endNext`. */
function someLanes(limits = { perEndpoint: 2, inAll: 4 }) {
  const begun: Sent[] = [];
  const ends: (() => void)[] = [];
  const lanes = new DeliveryLanes<Sent>(limits, (delivery) => {
    begun.push(delivery);
    return new Promise((resolve) => ends.push(resolve));
  });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { lanes, endNext, names: () => begun.map(({ endpointId, n }) => `${endpointId}${n}`) };
}

const of = (endpointId: string, count: number): Sent[] =>
  Array.from({ length: count }, (_, index) => ({ endpointId, n: index + 1 }));

describe('the lanes of deliveries', () => {
  it('have no more than their share of one endpoint under way, in order', async () => {
    const { lanes, endNext, names } = someLanes();
    lanes.add(of('a', 4));
    expect(names()).toEqual(['a1', 'a2']);
    await endNext();
    expect(names()).toEqual(['a1', 'a2', 'a3']);
  });

  it('let other endpoints pass one that does not answer', () => {
    const { lanes, names } = someLanes();
    lanes.add(of('slow', 50));
    lanes.add(of('b', 2));
    expect(names()).toEqual(['slow1', 'slow2', 'b1', 'b2']);
  });

  it('give every endpoint its turn where there is not room for all', async () => {
    const { lanes, endNext, names } = someLanes({ perEndpoint: 4, inAll: 2 });
    lanes.add([...of('a', 3), ...of('b', 3), ...of('c', 1)]);
    for (let i = 0; i < 5; i++) await endNext();
    expect(names()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('hand back what has not begun', async () => {
    const { lanes, endNext, names } = someLanes();
    lanes.add([...of('a', 3), ...of('b', 3)]);
    expect(lanes.takeBack('a')).toEqual([{ endpointId: 'a', n: 3 }]);
    expect(lanes.takeBackAll()).toEqual([{ endpointId: 'b', n: 3 }]);
    await endNext();
    expect(names()).toEqual(['a1', 'b1', 'a2', 'b2']);
  });
});
