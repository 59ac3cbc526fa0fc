import type { JsonObject, JsonValue } from '@app/kernel';
import { schemaValidator } from '../schema-validator.js';
import { inspectSchema } from './inspect-schema.js';

const DRAFT_04 = { $schema: 'http://json-schema.org/draft-04/schema#' };
const DRAFT_06 = { $schema: 'http://json-schema.org/draft-06/schema#' };
const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const V2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema' };
const V2020 = { $schema: 'https://json-schema.org/draft/2020-12/schema' };

const fits = (schema: JsonObject, value: JsonValue): boolean => schemaValidator(schema).validate(value).length === 0;
const tree = (anchor: JsonObject, reference: JsonObject): JsonObject => ({
  $id: 'https://a.example/strict',
  ...anchor,
  $ref: 'tree',
  unevaluatedProperties: false,
  $defs: {
    tree: { $id: 'tree', ...anchor, properties: { value: true, children: { items: reference } } },
  },
});

describe('a schema of another dialect', () => {
  it.each<[string, JsonObject, fitting: JsonValue, not: JsonValue]>([
    ['boolean limits', { ...DRAFT_04, minimum: 1, exclusiveMinimum: true }, 2, 1],
    ['numeric limits', { ...DRAFT_06, exclusiveMaximum: 3 }, 2, 3],
    ['`id` and `definitions`', { ...DRAFT_04, id: 'http://a.example/x', properties: { a: { $ref: 'http://a.example/y' } }, definitions: { y: { id: 'y', type: 'string' } } }, { a: 'x' }, { a: 1 }],
    ['an `id` that is a name', { ...DRAFT_07, $ref: '#it', definitions: { it: { $id: '#it', type: 'string' } } }, 'x', 1],
    ['tuples', { ...DRAFT_07, items: [{ type: 'string' }, { type: 'number' }], additionalItems: false }, ['a', 1], ['a', 1, 2]],
    ['tuples with others', { ...V2019, items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 1], ['a', 'b']],
    ['tuples of 2020-12', { ...V2020, prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], [1, 1]],
    ['dependencies on properties', { ...DRAFT_04, dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['dependencies on schemas', { ...DRAFT_07, dependencies: { a: { required: ['b'] } } }, { c: 1 }, { a: 1 }],
    ['conditions', { ...DRAFT_07, if: { type: 'number' }, then: { minimum: 5 }, else: { minLength: 2 } }, 'ab', 4],
    ['the schema itself', { ...DRAFT_04, properties: { a: { $ref: '#' } }, additionalProperties: false }, { a: {} }, { a: { b: 1 } }],
    ['anchors', { ...V2019, $ref: '#it', $defs: { x: { $anchor: 'it', const: 1 } } }, 1, 2],
    ['unevaluated properties', { ...V2019, anyOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    ['unevaluated items', { ...V2020, prefixItems: [true], contains: { const: 'x' }, unevaluatedItems: false }, [1, 'x'], [1, 'x', 2]],
    ['bounds of `contains`', { ...V2020, contains: { const: 1 }, minContains: 2, maxContains: 2 }, [1, 0, 1], [1, 1, 1]],
    ['recursive references', { ...V2019, ...tree({ $recursiveAnchor: true }, { $recursiveRef: '#' }) }, { children: [{ value: 1 }] }, { children: [{ valeu: 1 }] }],
    ['dynamic references', tree({ $dynamicAnchor: 'node' }, { $dynamicRef: '#node' }), { children: [{ value: 1 }] }, { children: [{ valeu: 1 }] }],
    ['another dialect inside', { properties: { a: { $id: 'https://a.example/old', ...DRAFT_04, minimum: 1, exclusiveMinimum: true } } }, { a: 2 }, { a: 1 }],
    ['characters by number', { ...DRAFT_07, pattern: '^\\u0041[\\u{1F600}]$' }, 'A\u{1F600}', 'B\u{1F600}'],
    ['decimal fractions', { ...V2020, multipleOf: 0.01 }, 19.99, 19.999],
  ])('is checked with %s as that dialect has them', (_what, schema, fitting, not) => {
    expect(inspectSchema(schema)).toEqual({ refusals: [], unchecked: [] });
    expect(fits(schema, fitting)).toBe(true);
    expect(fits(schema, not)).toBe(false);
  }); // prettier-ignore

  it.each<[string, JsonObject, JsonValue]>([
    ['keywords beside `$ref` in draft-07', { ...DRAFT_07, $ref: '#/definitions/a', maxLength: 1, definitions: { a: { type: 'string' } } }, 'abc'],
    ['`const` in draft-04', { ...DRAFT_04, const: 1 }, 2],
    ['`if` in draft-06', { ...DRAFT_06, if: true, then: false }, 2],
    ['`prefixItems` in 2019-09', { ...V2019, prefixItems: [false] }, [1]],
    ['words that are not keywords', { $async: true, nullable: true, formatMinimum: 3, id: 3 }, null],
  ])('ignores %s', (_what, schema, value) => {
    expect(fits(schema, value)).toBe(true);
  }); // prettier-ignore

  it.each<[string, JsonObject, pointer: readonly string[], detail: RegExp]>([
    ['a look-ahead pattern', { properties: { a: { pattern: '^(?!x)' } } }, ['properties', 'a', 'pattern'], /`\^\(\?!x\)`.*RE2/],
    ['a look-ahead property pattern', { patternProperties: { '(?=a)': false }, additionalProperties: false }, ['patternProperties', '(?=a)'], /RE2/],
    ['a reference to nothing', { items: { $ref: 'https://b.example/x' } }, ['items', '$ref'], /does not point to a schema/],
    ['a keyword of another form', { items: { required: 'a' } }, ['items', 'required'], /does not allow/],
    ['an unknown dialect', { $schema: 'https://b.example/mine', type: ['string', 'array', 'object'] }, ['$schema'], /2020-12/],
  ])('reports that %s is not checked', (_what, schema, path, detail) => {
    expect(inspectSchema(schema).unchecked).toMatchObject([{ path, detail: expect.stringMatching(detail) }]);
    for (const value of [{ a: 'xyz' }, ['x'], 'x']) expect(fits(schema, value)).toBe(true);
  }); // prettier-ignore
});
