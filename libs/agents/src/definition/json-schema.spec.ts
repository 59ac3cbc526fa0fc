import { schemaValidator } from './json-schema.js';
import { cpuMillisOf } from '../../../kernel/src/testing/cpu-time.js';
import { schemaProblems } from './schema-problems.js';

describe('a schema of a definition', () => {
  const schema = {
    type: 'object',
    required: ['from'],
    additionalProperties: false,
    properties: {
      from: { type: 'string', format: 'email' },
      code: { type: 'string', pattern: '^[A-Z]{3}$' },
      zip: { type: 'string', pattern: '^[0-9]{5}$' },
      tags: { type: 'array', uniqueItems: true },
    },
  };

  it('accepts what fits and leaves it as it is', () => {
    const value = { from: 'a@x.com', code: 'ABC', zip: '12345', tags: ['a', { b: 1 }] };
    expect(schemaValidator(schema).validate(value)).toEqual([]);
    expect(value).toEqual({ from: 'a@x.com', code: 'ABC', zip: '12345', tags: ['a', { b: 1 }] });
  });

  it('reports every mistake with its pointer and a remedy', () => {
    const errors = schemaValidator(schema).validate({ fron: 'x', code: '12345', zip: 'ABC', tags: [1, 2, 1] });
    expect(errors.map(({ pointer, suggestion }) => [pointer, suggestion]).sort()).toEqual([
      ['/code', undefined],
      ['/from', 'Add `from`.'],
      ['/fron', 'Did you mean `from`?'],
      ['/tags', 'Keep one of them.'],
      ['/zip', undefined],
    ]);
    for (const { detail } of errors) expect(detail).not.toMatch(/must NOT|must have required|must match/);
  });

  it('asks for a property that the data has itself', () => {
    const { validate } = schemaValidator({ type: 'object', required: ['constructor'] });
    expect(validate({})).toMatchObject([{ pointer: '/constructor' }]);
    expect(validate({ constructor: 1 })).toEqual([]);
  });

  it('matches user patterns in linear time', () => {
    const slow = schemaValidator({ type: 'string', pattern: '^(a+)+$' });
    const validate = () => expect(slow.validate(`${'a'.repeat(50_000)}!`)).toHaveLength(1);
    expect(cpuMillisOf(validate)).toBeLessThan(2_000);
  });

  it('compares the items of long lists in linear time', () => {
    const unique = schemaValidator({ type: 'array', uniqueItems: true });
    const items = Array.from({ length: 30_000 }, (_, index) => ({ index }));
    const validate = () => {
      expect(unique.validate(items)).toEqual([]);
      expect(unique.validate([...items, { index: 5 }])).toHaveLength(1);
    };
    expect(cpuMillisOf(validate)).toBeLessThan(4_000);
  });

  it('that refers to itself without end fails the value, not the process', () => {
    expect(schemaValidator({ $ref: '#' }).validate(1)).toHaveLength(1);
  });

  it.each([
    [{ $async: true, required: ['a'] }],
    [{ id: 'x', required: ['a'] }],
    [{ properties: { b: { nullable: true } }, required: ['a'] }],
    [{ type: ['object', 'null'], nullable: false, required: ['a'] }],
    [{ properties: { b: { formatMinimum: 3 } }, required: ['a'] }],
  ])('%j is checked without what only other dialects know', (schema) => {
    expect(schemaValidator(schema).validate({ b: null })).toMatchObject([{ pointer: '/a' }]);
    expect(schemaValidator(schema).validate({ a: 1 })).toEqual([]);
  });

  it('may have names and data that look like words of other dialects', () => {
    const odd = { properties: { nullable: { type: 'string' }, $async: { const: { nullable: true } } } };
    expect(schemaValidator(odd).validate({ nullable: 'x', $async: { nullable: true } })).toEqual([]);
    expect(schemaValidator(odd).validate({ nullable: 1, $async: {} })).toHaveLength(2);
  });

  it('that a server sends and that is none fails the value, not the process', () => {
    expect(schemaValidator({ type: 'nonsense' }).validate(1)).toHaveLength(1);
    expect(schemaValidator({ enum: [] }).validate(1)).toHaveLength(1);
  });

  it('may have names that look like keywords', () => {
    const odd = {
      type: 'object',
      properties: { type: { const: 'x' }, pattern: { type: 'string' }, properties: { properties: { required: {} } } },
    };
    expect(schemaProblems(odd)).toEqual([]);
    expect(schemaProblems({ properties: { properties: { type: 'text' } } })).toMatchObject([
      { path: ['properties', 'properties', 'type'] },
    ]);
  });

  it.each([
    [{ type: 'text' }, ['type']],
    [{ properties: { a: { pattern: '(?<=a)b' } } }, ['properties', 'a', 'pattern']],
    [{ patternProperties: { '(?=a)': {} } }, ['patternProperties', '(?=a)']],
    [{ $ref: 'https://example.com/schema' }, ['$ref']],
    [{ $ref: '#/$defs/missing', $defs: {} }, ['$ref']],
    [{ $id: 'https://example.com' }, ['$id']],
    [{ properties: { a: { minimum: 'x' } } }, ['properties', 'a', 'minimum']],
    [{ items: { required: true } }, ['items', 'required']],
    [{ items: { enum: [] } }, ['items', 'enum']],
    [{ items: { nullable: true } }, ['items', 'nullable']],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, ['$schema']],
  ])('%j is refused at its place', (schema, path) => {
    expect(schemaProblems(schema)).toMatchObject([{ path }]);
  });
});
