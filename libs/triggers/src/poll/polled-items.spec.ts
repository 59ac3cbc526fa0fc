import { compileDefinition, type PollTrigger } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { fingerprintOf, polledItems } from './polled-items.js';

const poll = (members: JsonObject = {}): PollTrigger => {
  const declared = { id: 'feed', type: 'poll', tool: 'shop.list', every: '5m', items: 'output.items', key: 'item.id' };
  const shop = {
    name: 'shop',
    type: 'http',
    base_url: 'https://shop.example',
    operations: [{ name: 'list', method: 'GET', path: '/' }],
  };
  const definition = {
    name: 'x',
    tools: [shop],
    triggers: [{ ...declared, ...members }],
    steps: [{ id: 'a', output: 1 }],
  };
  const [trigger] = compileDefinition(definition).triggers;
  if (trigger?.kind !== 'poll') throw new Error('The trigger is no poll.');
  return trigger;
};

const keysOf = async (items: JsonObject['items'], members: JsonObject = {}) =>
  (await polledItems(poll(members), { items: items ?? null })).items.map(({ key }) => key);

describe('the items of a poll', () => {
  it('have a text, a number or a bool as their key, each once', async () => {
    expect(await keysOf([{ id: 'a' }, { id: 1 }, { id: true }, { id: 'a' }, { id: '1' }])).toEqual(['a', 1, true, '1']);
  });

  it('are remembered under a receipt that is short, also for a long key', async () => {
    const { items } = await polledItems(poll(), { items: [{ id: 'a' }, { id: 'b'.repeat(100_000) }] });
    expect(items[0]?.receipt).toBe(`poll:feed:${fingerprintOf(poll())}:"a"`);
    expect(items[1]?.receipt.length).toBeLessThan(100);
  });

  it('without a usable key are reported, and the others are taken', async () => {
    const { items, problem } = await polledItems(poll(), { items: [{ id: 'a' }, { id: null }, {}, { id: 'b' }] });
    expect(items.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(problem).toBe('The key of item 1 cannot be used: it is null, not text, a number or a bool.');
  });

  it.each([
    ['no list', { items: { a: 1 } }, '`items` of the trigger is an object, not a list.'],
    ['nothing', {}, expect.stringContaining('`items` of the trigger cannot be computed')],
  ])('are %s, so the poll fails', async (_what, output, message) => {
    await expect(polledItems(poll(), output)).rejects.toThrow(expect.objectContaining({ message }));
  });

  it('are others for another tool, items or key', () => {
    const others: JsonObject[] = [{}, { tool: 'shop.other' }, { items: 'output.others' }, { key: 'item.number' }];
    const fingerprints = others.map((members) => fingerprintOf(poll(members)));
    expect(new Set(fingerprints).size).toBe(4);
    expect(fingerprintOf(poll({ every: '1h', filter: 'item.a', map: { a: 1 }, with: { a: 1 } }))).toBe(fingerprints[0]);
  });
});
