import type { JsonValue } from '@app/kernel';
import fc from 'fast-check';
import { RunMachine } from '../testing/run-machine.js';
import { inStoredOrder } from './stored-order.js';

describe('the order of members that Postgres keeps', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  afterAll(() => machine.close());

  it('is known before a value is stored', async () => {
    const values = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { numRuns: 300, seed: 7 });
    const texts = values.map((value) => JSON.stringify(value)).filter((text) => !text.includes('\\u0000'));
    const more = ['{"place":1,"depth":{"é":1,"zz":2,"a":3},"1":[{"b":1,"a":2}]}'];
    const rows = await machine.query<{ value: JsonValue }>(
      'select t::jsonb as value from unnest($1::text[]) with ordinality as x(t, i) order by i',
      [[...texts, ...more]],
    );
    expect(rows.map(({ value }) => JSON.stringify(value))).toEqual(
      [...texts, ...more].map((text) => JSON.stringify(inStoredOrder(JSON.parse(text) as JsonValue))),
    );
  });
});
