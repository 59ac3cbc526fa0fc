import type { JsonObject, JsonValue } from '@app/kernel';
import { blockCounter } from '../../kernel/src/testing/measured-work.js';
import { BASE_STEPS, inspectSchema, schemaValidator, WorkBudget } from '@app/json-schema';
import { parseDefinition } from './parse-definition.js';
import { LIMITS } from './testing/limits.js';

/**
 * Maximum number of code blocks that one check may execute. It is several times the number that the work budget allows.
 * Without a budget, most checks would execute billions of blocks.
 */
const MAX_BLOCKS = 50_000_000;
const LEVELS = 25;

/**
 * Returns a schema of nested levels. Each level applies the next level twice to the same value, so the work doubles
 * with each level.
 */
function doubling(level: (next: JsonObject) => JsonObject, last: JsonObject): JsonObject {
  const $defs: JsonObject = { [`d${LEVELS}`]: last };
  for (let n = 0; n < LEVELS; n++) $defs[`d${n}`] = level({ $ref: `#/$defs/d${n + 1}` });
  return { $ref: '#/$defs/d0', $defs };
}

const FITS = { type: 'object' };
const FAILS = { type: 'string' };

const DOUBLING: Record<string, JsonObject> = {
  anyOf: doubling((next) => ({ anyOf: [next, next] }), FAILS),
  oneOf: doubling((next) => ({ oneOf: [next, next] }), FAILS),
  allOf: doubling((next) => ({ allOf: [next, next] }), FITS),
  not: doubling((next) => ({ not: { anyOf: [{ not: next }, { not: next }] } }), FITS),
  if: doubling((next) => ({ if: next, else: next }), FAILS),
  dependentSchemas: doubling((next) => ({ dependentSchemas: { a: next, b: next } }), FITS),
  dependencies: doubling((next) => ({ dependencies: { a: next, b: next } }), FITS),
  $dynamicRef: {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: LEVELS }, (_, n) => {
        const next = { $dynamicRef: `#a${n + 1}` };
        return [`d${n}`, { $dynamicAnchor: `a${n}`, anyOf: n === LEVELS - 1 ? [{ type: 'string' }] : [next, next] }];
      }),
    ),
  },
};

const keys = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, index]));
const nested = (depth: number, wrap: (inner: JsonValue) => JsonValue, innermost: JsonValue): JsonValue =>
  depth === 0 ? innermost : wrap(nested(depth - 1, wrap, innermost));
const patterns = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`^[a-z]+-.*${index}x`, false]));
const random = (length: number): string =>
  Array.from({ length }, (_, index) => ((index * 7_919) % 13 > 6 ? 'a' : 'b')).join('');

/** Schemas that cause much work only with a crafted value. */
const BY_VALUE: Record<string, readonly [schema: JsonObject, value: JsonValue]> = {
  'patternProperties over many keys': [{ patternProperties: patterns(300) }, keys(20_000)],
  'propertyNames over many keys': [{ propertyNames: { allOf: Object.keys(patterns(300)).map((pattern) => ({ not: { pattern } })) } }, keys(20_000)],
  'alternatives that recur in a deep value': [
    { anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }], not: { const: 1 } },
    nested(150, (a) => ({ a }), 1),
  ],
  'alternatives that recur in a deep list': [
    { oneOf: [{ items: { $ref: '#' } }, { contains: { $ref: '#' } }], not: { const: 1 } },
    nested(150, (a) => [a], 1),
  ],
  'uniqueItems at each level': [{ uniqueItems: true, items: { $ref: '#' } }, nested(190, (a) => [a], 'x'.repeat(1024 * 1024))],
  'unevaluatedProperties in alternatives': [
    { items: { anyOf: Array.from({ length: 200 }, () => ({ properties: keys(0), unevaluatedProperties: true })), unevaluatedProperties: false } },
    Array.from({ length: 200 }, () => keys(200)),
  ],
  'many lists of constants': [{ items: { allOf: Array.from({ length: 300 }, (_, n) => ({ not: { enum: [{ n }] } })) } }, Array.from({ length: 20_000 }, () => ({ a: 'b' }))],
  'a pattern with an automaton of 2^60 states': [{ pattern: '^(a|b)*a(a|b){60}[xy]' }, random(1024 * 1024)],
  'a format that is matched with backtracking': [{ format: 'url' }, `http://${'a:@'.repeat(300_000)}`],
  'many formats of a long text': [{ allOf: Array.from({ length: 500 }, () => ({ not: { format: 'ipv6' } })) }, 'f:'.repeat(500_000)],
  'many lengths of a long text': [{ allOf: Array.from({ length: 3_000 }, () => ({ minLength: 1 })) }, 'ä'.repeat(1024 * 1024)],
  'numbers of very different size': [{ items: { not: { multipleOf: 3e-300 } } }, Array.from({ length: 50_000 }, () => 1.1e308)],
}; // prettier-ignore

const executedBlocks = blockCounter();

describe('an untrusted schema', () => {
  it.each(Object.keys(DOUBLING))(
    'that doubles the work at each of 25 levels by %s is rejected at creation',
    (keyword) => {
      const schema = DOUBLING[keyword] ?? {};
      const { refusals } = inspectSchema(schema);
      expect(refusals).toMatchObject([{ detail: expect.stringContaining('more than 10000 schemas') }]);
      expect(refusals[0]?.path.at(0)).toBe('$defs');
    },
  );

  it.each(Object.keys(DOUBLING))('that doubles the work at each of 25 levels by %s stops its checks', (keyword) => {
    const { validate } = schemaValidator(DOUBLING[keyword] ?? {});
    let errors: ReturnType<typeof validate> = [];
    const budget = new WorkBudget();
    expect(executedBlocks(() => (errors = validate({ a: 1, b: 2 }, budget)))).toBeLessThan(MAX_BLOCKS);
    expect(errors).toMatchObject([{ pointer: '', detail: expect.stringContaining('cannot be checked') }]);
  });

  it.each(Object.keys(BY_VALUE))('stops the check of %s', (name) => {
    const [schema, value] = BY_VALUE[name] ?? [{}, null];
    expect(inspectSchema(schema).refusals).toEqual([]);
    const { validate } = schemaValidator(schema);
    let errors: ReturnType<typeof validate> = [];
    // This limit is higher than for other checks, because counting the characters of a long text executes many blocks
    // for each step of the budget.
    expect(executedBlocks(() => (errors = validate(value)))).toBeLessThan(10 * MAX_BLOCKS);
    expect(errors).toMatchObject([{ pointer: '', detail: expect.stringContaining('cannot be checked') }]);
  });

  it('can share its budget with other schemas', () => {
    const { validate } = schemaValidator({ patternProperties: patterns(300) });
    const budget = new WorkBudget();
    const [first, second] = [keys(2_000), keys(2_000)];
    expect(validate(first, budget)).toHaveLength(1);
    expect(budget.remaining).toBeLessThan(0);
    expect(validate(second, budget)).toHaveLength(1);
  });

  it('reports a bounded number of mistakes', () => {
    const { validate } = schemaValidator({ additionalProperties: false, maxProperties: 1 });
    expect(validate(keys(100_000))).toHaveLength(50);
  });

  it('takes steps in proportion to an ordinary value', () => {
    const schema = {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'mail'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,10}$' },
          mail: { type: 'string', format: 'email', maxLength: 200 },
          amount: { type: 'number', minimum: 0, multipleOf: 0.01 },
          state: { enum: ['open', 'closed'] },
        },
      },
    };
    const steps = (count: number): number => {
      const item = { id: 'AB-12345', mail: 'somebody@example.com', amount: 19.99, state: 'open' };
      const budget = new WorkBudget();
      expect(
        schemaValidator(schema).validate(
          Array.from({ length: count }, () => ({ ...item })),
          budget,
        ),
      ).toEqual([]);
      return BASE_STEPS - budget.remaining;
    };
    expect(steps(1_000) / steps(500)).toBeLessThan(2.1);
    expect(steps(1)).toBeLessThan(500);
    expect(
      schemaValidator(schema).validate(Array.from({ length: 10_000 }, () => ({ id: 'AB-12345', mail: 'a@b.de' }))),
    ).toEqual([]);
  });

  it.each([
    ['itself', { anyOf: [{ $ref: '#' }] }, []],
    [
      'one another',
      {
        properties: { a: { $ref: '#/$defs/x' } },
        $defs: { x: { not: { $ref: '#/$defs/y' } }, y: { $ref: '#/$defs/x' } },
      },
      ['$defs', 'x'],
    ],
  ])('that refers to %s without end is rejected', (_what, schema, path) => {
    expect(inspectSchema(schema).refusals[0]).toMatchObject({ path, detail: expect.stringContaining('endlessly') });
  });

  it('may be recursive, large and combined', () => {
    const tree = {
      $defs: { node: { type: 'object', properties: { children: { items: { $ref: '#/$defs/node' } } } } },
      $ref: '#/$defs/node',
    };
    const variants = {
      oneOf: Array.from({ length: 200 }, (_, n) => ({ properties: { kind: { const: `k${n}` } }, required: ['kind'] })),
    };
    const large = {
      properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`p${n}`, { type: 'string' }])),
    };
    for (const schema of [tree, variants, large])
      expect(inspectSchema(schema)).toEqual({ refusals: [], unchecked: [] });
    expect(schemaValidator(variants).validate({ kind: 'k199' })).toEqual([]);
  });

  it('with patterns that take long to compile is rejected', () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`p${n}`, { pattern: `(?i)[\\p{L}\\p{N}]{1,30}${n}` }]),
    );
    expect(inspectSchema({ properties: many }).refusals).toMatchObject([
      { detail: expect.stringContaining('patterns') },
    ]);
  });
});

describe('a definition', () => {
  const text = (definition: JsonObject): string =>
    JSON.stringify({ name: 'x', steps: [{ id: 'a', output: 1 }], ...definition });
  const errorsOf = (definition: JsonObject): readonly unknown[] => {
    const parsed = parseDefinition(text(definition), 'json', LIMITS);
    return parsed.ok ? [] : parsed.errors;
  };

  it('with a schema that cannot be checked is rejected with place and remedy', () => {
    const place = {
      pointer: expect.stringMatching(/^\/input\/\$defs\/d\d+$/),
      suggestion: expect.stringContaining('Nest fewer levels'),
    };
    expect(errorsOf({ input: DOUBLING.anyOf ?? {} })).toMatchObject([place]);
    const tool = {
      name: 't',
      type: 'http',
      base_url: 'https://a.example',
      operations: [{ name: 'o', method: 'GET', path: '/', request: DOUBLING.allOf ?? {} }],
    };
    expect(errorsOf({ tools: [tool] })).toMatchObject([
      { pointer: expect.stringMatching(/^\/tools\/0\/operations\/0\/request\/\$defs\/d\d+$/) },
    ]);
  });

  it('with many inputs that are hard to check takes little work', () => {
    const [schema] = BY_VALUE['patternProperties over many keys'] ?? [{}];
    const triggers = Array.from({ length: 10 }, (_, n) => ({
      type: 'schedule',
      id: `s${n}`,
      cron: '0 7 * * *',
      input: keys(900),
    }));
    let errors: readonly unknown[] = [];
    expect(executedBlocks(() => (errors = errorsOf({ input: schema, triggers })))).toBeLessThan(MAX_BLOCKS);
    expect(errors).toContainEqual(expect.objectContaining({ detail: expect.stringContaining('cannot be checked') }));
  });
});
