import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const definition = (loop: string, more = ''): string => `name: x
tools: [{ name: shop, type: http, base_url: "https://s.example", operations: [{ name: list, method: GET, path: /l }] }]
steps:
  - id: pages
    repeat:
${loop}
${more}`;

const PAGES = `      carry: { cursor: "", items: [] }
      steps: [{ id: page, tool: shop.list, with: { cursor: "\${{ carry.cursor }}" } }]
      next: { cursor: "\${{ steps.page.output.next }}" }
      until: carry.cursor == ""
      max: 10`;

function errorsOf(text: string): (string | undefined)[][] {
  const parsed = parseDefinition(text, 'yaml', LIMITS);
  return parsed.ok ? [] : parsed.errors.map(({ pointer, suggestion }) => [pointer, suggestion]);
}

const without = (key: string): string => PAGES.replace(new RegExp(`\\n +${key}:.*`), '');
const AT = '/steps/0/repeat';
const NESTED = PAGES.replace(/steps: .*/, 'steps: [{ id: page, for_each: [1], steps: [{ id: inner, output: 1 }] }]');
const BEFORE_ROUND =
  'Use `until`, which is evaluated after each round, or set a value of `carry` in `next` and read that value.';

describe('a definition with a loop', () => {
  it('is accepted, with the settings of the loop and their defaults', () => {
    const parsed = parseDefinition(definition(`${PAGES}\n      delay: 5s`), 'yaml', LIMITS);
    expect(parsed).toMatchObject({ ok: true, warnings: [] });
    const step = parsed.ok ? parsed.compiled.steps[0] : undefined;
    expect(step).toMatchObject({ kind: 'repeat', max: 10, continuesAtMax: false, while: null });
    expect(errorsOf(definition(`${PAGES}\n      on_max: continue`))).toEqual([]);
  });

  it.each([
    ['has no condition', without('until'), AT, 'Add a condition, for example `until: carry.cursor == ""`.'],
    ['has no `max`', without('max'), AT, 'Add `max`: Maximum number of rounds.'],
    ['has too many rounds', PAGES.replace('max: 10', 'max: 10001'), `${AT}/max`, undefined],
    ['has no rounds', PAGES.replace('max: 10', 'max: 0'), `${AT}/max`, undefined],
    ['changes a value that it does not carry', PAGES.replace('next: { cursor:', 'next: { curser:'), `${AT}/next/curser`, 'Did you mean `cursor`?'],
    ['reads a value that it does not carry', PAGES.replace('until: carry.cursor', 'until: carry.curser'), `${AT}/until`, 'Did you mean `cursor`?'],
    ['reads a value in a step that it does not carry', PAGES.replace('{{ carry.cursor', '{{ carry.nope'), `${AT}/steps/0/with/cursor`, expect.any(String)],
    ['has an impossible delay', `${PAGES}\n      delay: soon`, `${AT}/delay`, expect.stringContaining('`500ms`')],
    ['has another word at its end', `${PAGES}\n      on_max: stop`, `${AT}/on_max`, undefined],
    ['reads its steps before they run', `${PAGES}\n      while: steps.page.output.more`, `${AT}/while`, BEFORE_ROUND],
    ['reads a step of an inner loop before it runs', `${NESTED}\n      while: has(steps.inner.output)`, `${AT}/while`, BEFORE_ROUND],
    ['reads a step after the loop', `${PAGES}\n      while: steps.after.output`, `${AT}/while`, 'Move `after` up.', '  - { id: after, output: 1 }'],
    ['carries from its own values', PAGES.replace('cursor: "", items', 'cursor: "${{ carry.items }}", items'), `${AT}/carry/cursor`, undefined],
    ['multiplies a value by a whole number', PAGES.replace('carry.cursor == ""', 'carry.items * 2 > 5.0'), `${AT}/until`, 'Write `2.0`.'],
    ['has an unknown key', `${PAGES}\n      times: 3`, `${AT}/times`, expect.any(String)],
  ])('is refused if the loop %s', (_what, loop, pointer, suggestion, more = '') => {
    expect(errorsOf(definition(loop, more))).toContainEqual([pointer, suggestion]);
  }); // prettier-ignore

  it('is refused if it reads a value of a loop that carries none', () => {
    const loop = '      steps: [{ id: page, tool: shop.list }]\n      until: carry.done\n      max: 3';
    expect(errorsOf(definition(loop))).toEqual([[`${AT}/until`, 'It has no fields.']]);
  });

  it('hides the steps of a round and the carried values outside of the loop', () => {
    const read = (what: string): string => `  - { id: after, output: "\${{ ${what} }}" }`;
    expect(errorsOf(definition(PAGES, read('steps.page.output')))).toEqual([
      ['/steps/1/output', 'Read the output of the step that contains `page`.'],
    ]);
    expect(errorsOf(definition(PAGES, read('carry.cursor')))).toHaveLength(1);
    expect(errorsOf(definition(PAGES, read('steps.pages.output.carry.cursor')))).toEqual([]);
    expect(errorsOf(definition(PAGES, read('steps.pages.output.rounds * 2.0')))).toEqual([]);
    expect(errorsOf(definition(PAGES, read('steps.pages.output.carry.curser')))).toEqual([
      ['/steps/1/output', 'Did you mean `cursor`?'],
    ]);
  });

  it('keeps the values of two loops apart', () => {
    const inner = (text: string): string =>
      `      carry: { a: 1 }
      steps: [{ id: inner, repeat: { carry: { b: "\${{ carry.a }}" }, steps: [{ id: one, let: { x: "\${{ carry.${text} }}" } }], until: carry.b == 1.0, max: 2 } }]
      until: carry.a == 1.0
      max: 2`;
    expect(errorsOf(definition(inner('b')))).toEqual([]);
    expect(errorsOf(definition(inner('a')))).toHaveLength(1);
  });

  it('names neither an item inside of the loop nor one around it `carry`', () => {
    const items = (inner: string): string => `{ id: each, for_each: [1], as: carry, steps: [${inner}] }`;
    const inside = PAGES.replace(/steps: \[(.*)\]/, (_all, step: string) => `steps: [${items(step)}]`);
    expect(errorsOf(definition(inside.replace('carry.cursor }}', '1 }}').replace(/\n *next:.*/, '')))).toContainEqual([
      `${AT}/steps/0/as`,
      'Choose another name for the item.',
    ]);
    const loop = '{ id: pages, repeat: { steps: [{ id: one, let: { a: 1 } }], until: "true", max: 2 } }';
    expect(errorsOf(`name: x\nsteps: [${items(loop)}]`)).toEqual([
      ['/steps/0/as', 'Choose another name for the item.'],
    ]);
    expect(errorsOf(`name: x\nsteps: [${items('{ id: one, let: { a: "${{ carry }}" } }')}]`)).toEqual([]);
  });

  it('may have as many steps in a run as the installation allows', () => {
    const limited = (steps: number) => `${definition(PAGES)}limits: { max_steps: ${steps} }\n`;
    expect(errorsOf(limited(1_000))).toEqual([]);
    expect(errorsOf(limited(1_001))).toEqual([
      ['/limits/max_steps', 'Write a smaller number, or ask the operator to raise MAX_RUN_STEPS.'],
    ]);
    expect(errorsOf(limited(10_001))).toEqual([['/limits/max_steps', undefined]]);
    expect(parseDefinition(limited(10_000), 'yaml', { ...LIMITS, runSteps: 10_000 })).toMatchObject({ ok: true });
  });
});
