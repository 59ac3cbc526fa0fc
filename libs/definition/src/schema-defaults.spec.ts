import type { JsonObject } from '@app/kernel';
import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';
import { schemaValidator } from '@app/json-schema';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const TEXT: JsonObject = { type: 'string' };
const filled = (schema: JsonObject, value: JsonObject) => schemaValidator(schema).complete(value);

describe('the defaults of a schema', () => {
  it.each<[where: string, schema: JsonObject, value: JsonObject, expected: JsonObject]>([
    ['members that are missing', object({ a: { default: 1 }, b: { default: 2 } }), { b: 3 }, { a: 1, b: 3 }],
    [
      'schemas behind a percent-encoded reference',
      object({ a: { $ref: '#/$defs/a%20b~1c' } }, { $defs: { 'a b/c': object({ d: { default: 1 } }) } }),
      { a: {} },
      { a: { d: 1 } },
    ],
    ['no member that is null', object({ a: { default: 1 } }), { a: null }, { a: null }],
    ['members that are required', object({ a: { ...TEXT, default: 'x' } }, { required: ['a'] }), {}, { a: 'x' }],
    ['objects that are there', object({ a: object({ b: { default: 1 } }) }), { a: {} }, { a: { b: 1 } }],
    ['no object that is missing', object({ a: object({ b: { default: 1 } }) }), {}, {}],
    ['objects that have a default', object({ a: object({ b: { default: 1 } }, { default: {} }) }), {}, { a: { b: 1 } }],
    [
      'objects of lists',
      object({ list: { type: 'array', items: object({ b: { default: 1 } }) } }),
      { list: [{}, { b: 2 }] },
      { list: [{ b: 1 }, { b: 2 }] },
    ],
    [
      'members through a reference',
      object({ a: { $ref: '#/$defs/one' } }, { $defs: { one: object({ b: { default: 1 } }, { default: {} }) } }),
      {},
      { a: { b: 1 } },
    ],
    ['members through allOf', { allOf: [object({ a: { default: 1 } })], ...object({ b: { default: 2 } }) }, {}, { a: 1, b: 2 }],
    [
      'recursive objects as deep as the value',
      object({ next: { $ref: '#' }, n: { default: 0 } }),
      { next: { next: {} } },
      { n: 0, next: { n: 0, next: { n: 0 } } },
    ],
    [
      'nothing below anyOf, oneOf, not and if',
      {
        anyOf: [object({ a: { default: 1 } })],
        oneOf: [object({ b: { default: 1 } })],
        not: object({ c: { default: 1 } }, { required: ['c'] }),
        if: object({ d: { default: 1 } }),
        then: object({ e: { default: 1 } }),
      },
      {},
      {},
    ],
  ])('fill %s', (_where, schema, value, expected) => {
    const before = structuredClone(value);
    expect(filled(schema, value)).toEqual({ value: expected, errors: [] });
    expect(value).toEqual(before);
  }); // prettier-ignore

  it('are applied before the value is validated', () => {
    const schema = object({ a: { ...TEXT, default: 'x' }, b: TEXT }, { required: ['a', 'b'] });
    expect(filled(schema, {}).errors).toMatchObject([{ detail: expect.stringContaining('b') }]);
  });

  it('cannot create endless or very many values', () => {
    const endless = object({ next: { $ref: '#', default: {} } });
    expect(filled(endless, {})).toMatchObject({ value: {}, errors: [{ pointer: '' }] });
    const level = (n: number): JsonObject => {
      const inner: JsonObject = n === 30 ? { default: 1 } : { $ref: `#/$defs/l${n + 1}`, default: {} };
      return object({ a: inner, b: inner });
    };
    const $defs = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`l${n}`, level(n)]));
    expect(filled({ ...level(0), $defs }, {})).toMatchObject({ value: {}, errors: [{ pointer: '' }] });
  });
});

describe('a definition', () => {
  const definition = (input: JsonObject, more: JsonObject = {}) => {
    const steps = [{ id: 'a', output: '${{ input.limit }}' }];
    const parsed = parseDefinition(JSON.stringify({ name: 'x', input, steps, ...more }), 'json', LIMITS);
    return parsed.ok ? { errors: [], warnings: parsed.warnings } : { errors: parsed.errors, warnings: [] };
  };
  const WITH_DEFAULT = object({ limit: { type: 'number', default: 5 }, name: TEXT }, { required: ['limit', 'name'] });

  it.each<[what: string, input: JsonObject, pointer: string]>([
    ['of another type', object({ limit: { type: 'number', default: '5' } }), '/input/properties/limit/default'],
    ['that the enum lacks', object({ limit: { enum: ['a'], default: 'b' } }), '/input/properties/limit/default'],
    [
      'of a referenced schema that does not fit',
      object({ limit: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'number', default: 'n' } } }),
      '/input/$defs/n/default',
    ],
    [
      'that lacks a member',
      object({ limit: object({ a: TEXT }, { required: ['a'], default: {} }) }),
      '/input/properties/limit/default',
    ],
    [
      'in the objects of a list',
      object({ limit: { type: 'array', items: object({ a: { ...TEXT, default: 1 } }) } }),
      '/input/properties/limit/items/properties/a/default',
    ],
    ['that is endless', object({ limit: { $ref: '#', default: {} } }), '/input/properties/limit/default'],
  ])('with a default %s is refused', (_what, input, pointer) => {
    expect(definition(input).errors.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('with a default needs no has() for the member, and no member in its triggers and cases', () => {
    const triggers: JsonObject[] = [
      { id: 'hook', type: 'webhook', map: { name: '${{ body.name }}' } },
      { id: 'morning', type: 'schedule', cron: '0 7 * * *', input: { name: 'x' } },
    ];
    const cases = [{ name: 'one', input: { name: 'x' }, assert: [{ type: 'status', value: 'succeeded' }] }];
    const more = { triggers, evaluation: { cases, gate: {} } };
    expect(definition(WITH_DEFAULT, more)).toEqual({ errors: [], warnings: [] });
    expect(definition({ ...WITH_DEFAULT, required: ['name'] }, more)).toEqual({ errors: [], warnings: [] });
    const lacking = { ...more, triggers: [{ id: 'hook', type: 'webhook', map: {} }] };
    expect(definition(WITH_DEFAULT, lacking).errors).toMatchObject([{ detail: expect.stringContaining('`name`') }]);
  });
});
