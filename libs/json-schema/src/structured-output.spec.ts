import { jsonPointer, type JsonObject } from '@app/kernel';
import { structureMisfit } from './structured-output.js';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});
const nested = (depth: number): JsonObject => (depth === 0 ? { type: 'string' } : object({ inner: nested(depth - 1) }));
const text = { type: 'string' };

describe('a schema for a response format', () => {
  it.each<[string, JsonObject]>([
    ['no properties', object({})],
    ['scalars, lists and choices', object({ a: { type: ['string', 'null'] }, b: { type: 'array', items: text } })],
    ['descriptions and values', object({ a: { enum: [1, 2], title: 'A', description: 'a' }, b: { const: 'x' } })],
    ['choices of objects', object({ a: { anyOf: [object({ b: text }), { type: 'null' }] } })],
    ['definitions', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: object({ b: text }) } })],
    ['names of keywords as properties', object({ format: text, default: text })],
    ['ten levels', nested(10)],
  ])('fits: %s', (_, schema) => {
    expect(structureMisfit(schema)).toBeUndefined();
  });

  it.each<[string, JsonObject, string]>([
    ['', { additionalProperties: false }, 'type'],
    ['/type', { type: 'array', items: text }, '`object`'],
    ['', { type: 'object', properties: {} }, 'additionalProperties'],
    ['/additionalProperties', object({}, { additionalProperties: true }), 'additionalProperties'],
    ['/required', object({ a: text, b: text }, { required: ['a'] }), '`b`'],
    ['/properties/a/format', object({ a: { type: 'string', format: 'email' } }), '`format`'],
    ['/properties/a', object({ a: true }), 'object'],
    ['/properties/a/items', object({ a: { type: 'array', items: { type: 'object' } } }), 'additionalProperties'],
    ['/properties/a/anyOf/1/minimum', object({ a: { anyOf: [text, { minimum: 1 }] } }), '`minimum`'],
    ['/properties/a', object({ a: { properties: { b: text } } }), 'additionalProperties'],
    ['/properties/a', object({ a: { type: ['object', 'null'] } }), 'additionalProperties'],
    ['/$defs/a/pattern', object({}, { $defs: { a: { pattern: '^a' } } }), '`pattern`'],
    ['/allOf', object({}, { allOf: [] }), '`allOf`'],
    [`/properties/inner`.repeat(10), nested(11), '10 deep'],
  ])('does not fit at %j: %j', (pointer, schema, detail) => {
    const misfit = structureMisfit(schema)!;
    expect(jsonPointer(misfit.path)).toBe(pointer);
    expect(misfit.detail).toContain(detail);
  });
});
