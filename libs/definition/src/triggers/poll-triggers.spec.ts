import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const BASE = `name: x
tools:
  - name: shop
    type: http
    base_url: https://shop.example
    operations:
      - { name: list, method: GET, path: "/{kind}" }
      - { name: pay, method: POST, path: /pay }
  - { name: helper, type: agent, agent: helper, scope: read }
steps: [{ id: a, for_each: [1], as: item, steps: [{ id: b, output: "\${{ item }}" }] }]
`;
const POLL = { tool: 'shop.list', with: '{ kind: orders }', every: '5m', items: 'output.orders', key: 'item.id' };

function parsed(members: Partial<typeof POLL> & Record<string, string>) {
  const text = Object.entries({ ...POLL, ...members })
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
  const answer = parseDefinition(`${BASE}triggers: [{ id: feed, type: poll, ${text} }]\n`, 'yaml', LIMITS);
  return answer.ok
    ? answer.warnings.map(({ pointer }) => [pointer])
    : answer.errors.map(({ pointer, suggestion }) => [pointer, suggestion]);
}

describe('a poll', () => {
  it('names an operation that is then used, and its items do not reserve names of loops', () => {
    const warnings = parsed({});
    expect(warnings).not.toContainEqual(['/tools/0']);
    expect(warnings).not.toContainEqual(expect.arrayContaining([expect.stringContaining('/steps')]));
  });

  it('can read `poll.last_at`, `item` and `output` where they exist', () => {
    const filter = 'item.total > 0.0 && output.more';
    expect(parsed({ with: '{ kind: "${{ poll.last_at }}" }', filter, map: '{ id: "${{ item.id }}" }' })).toEqual(
      parsed({}),
    );
  });

  const mistakes: [what: string, members: Record<string, string>, pointer: string, suggestion: string | undefined][] = [
    ['a write', { tool: 'shop.pay', with: '{}' }, '/tool', 'Reads are `shop.list`.'],
    ['another agent', { tool: 'helper.run', with: '{}' }, '/tool', 'Reads are `shop.list`.'],
    ['an unknown operation', { tool: 'shop.lst' }, '/tool', 'Did you mean `shop.list`?'],
    ['a missing argument', { with: '{}' }, '/with', 'Add `kind` to `with`.'],
    ['too short an interval', { every: '9s' }, '/every', 'Write `10s` or more.'],
    ['a template for items', { items: '"${{ output.orders }}"' }, '/items', 'Remove `${{` and `}}`: the value of this key is always an expression.'],
    ['an item in `items`', { items: 'item.orders' }, '/items', undefined],
    ['a secret in the request', { with: '{ kind: "${{ secrets.KEY }}" }' }, '/with/kind', undefined],
    ['too large a backfill', { backfill: '10001' }, '/backfill', undefined],
  ]; // prettier-ignore

  it.each(mistakes)('with %s is refused with its place', (_what, members, pointer, suggestion) => {
    expect(parsed(members)).toEqual([[`/triggers/0${pointer}`, suggestion]]);
  });
});
