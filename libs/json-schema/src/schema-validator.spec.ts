import { jsonPointer, type JsonObject } from '@app/kernel';
import { schemaValidator } from './schema-validator.js';
import { blockCounter } from '../../kernel/src/testing/measured-work.js';
import { schemaProblems } from './schema-problems.js';

const executedBlocks = blockCounter();

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

  it('says that a number cannot hold an integer beyond 2^53, which is read as text', () => {
    const ids = schemaValidator({ type: 'array', items: { type: 'integer' } });
    expect(ids.validate(['1533947986218845197', '12'])).toMatchObject([
      {
        pointer: '/0',
        detail: 'This value must be a number that JSON can hold, not the integer 1533947986218845197 beyond 2^53.',
        suggestion: 'Allow a string here.',
      },
      { pointer: '/1', suggestion: 'Leave the quotes out: `12`.' },
    ]);
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

  it('matches user patterns without backtracking, which would never end for this one', () => {
    const slow = schemaValidator({ type: 'string', pattern: '^(a+)+$' });
    expect(slow.validate(`${'a'.repeat(50_000)}!`)).toHaveLength(1);
  });

  it('compares the items of long lists in linear time', () => {
    const unique = schemaValidator({ type: 'array', uniqueItems: true });
    const items = Array.from({ length: 30_000 }, (_, index) => ({ index }));
    const validate = () => {
      expect(unique.validate(items)).toEqual([]);
      expect(unique.validate([...items, { index: 5 }])).toHaveLength(1);
    };
    // Comparing all pairs of items would execute 450 million blocks.
    expect(executedBlocks(validate)).toBeLessThan(20_000_000);
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

  it('checks nothing by a keyword of a server that does not have the form of the keyword', () => {
    const odd = { type: 'nonsense', minimum: 'x', required: 'a', properties: [], anyOf: {}, items: 3, maxLength: 1 };
    expect(schemaValidator(odd).validate('a')).toEqual([]);
    expect(schemaValidator(odd).validate('ab')).toHaveLength(1);
    expect(schemaValidator({ enum: [] }).validate(1)).toHaveLength(1);
  });

  it('lists a few of many allowed values and few of many mistakes', () => {
    const names = Array.from({ length: 9_000 }, (_, index) => `name-${index}`);
    const errors = schemaValidator({ items: { enum: names } }).validate(Array.from({ length: 500 }, () => 'nam-5'));
    expect(errors).toHaveLength(50);
    expect(JSON.stringify(errors).length).toBeLessThan(100_000);
  });

  it.each(['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', '__defineGetter__'])(
    'checks data with the member `%s` like any other',
    (name) => {
      const data: JsonObject = Object.fromEntries([
        ['amount', 5],
        [name, { a: 1 }],
      ]);
      const amount = { properties: { amount: { type: 'number' } } };
      const closing: JsonObject[] = [{ additionalProperties: false }, { unevaluatedProperties: false }];
      for (const closed of closing)
        expect(schemaValidator({ ...amount, ...closed }).validate(data)).toMatchObject([{ pointer: `/${name}` }]);
      const others: JsonObject[] = [{ enum: [{ amount: 5, a: 1 }] }, { const: { amount: 5, a: 1 } }];
      for (const other of others) expect(schemaValidator(other).validate(data)).toMatchObject([{ pointer: '' }]);
      const equals: JsonObject[] = [{ enum: [1, data] }, { const: data }];
      for (const equal of equals) expect(schemaValidator(equal).validate(data)).toEqual([]);
      expect(schemaProblems({ type: name })).toMatchObject([{ path: ['type'] }]);
      expect(schemaProblems({ type: name })[0]?.suggestion).toBeUndefined();
    },
  );

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

  it.each<[JsonObject, string, string]>([
    [{ required: 'id' }, '/required', '`required` must be a list of different names, for example `[id, amount]`.'],
    [{ required: ['id', 3] }, '/required/1', '`required` must be a list of different names, for example `[id, amount]`.'],
    [{ required: ['id', 'id'] }, '/required', '`required` must be a list of different names, for example `[id, amount]`.'],
    [{ items: { maxLength: -1 } }, '/items/maxLength', '`maxLength` must be a whole number that is not negative, for example `3`.'],
    [{ minimum: 'x' }, '/minimum', '`minimum` must be a number, for example `0.5`.'],
    [{ multipleOf: 0 }, '/multipleOf', '`multipleOf` must be a number greater than 0, for example `0.01`.'],
    [{ type: [] }, '/type', '`type` must be a type or a list of different types, for example `string` or `[string, "null"]`.'],
    [{ anyOf: [] }, '/anyOf', '`anyOf` must be a list of at least one schema, for example `[{ type: string }]`.'],
    [{ anyOf: [{}, { enum: 'a' }] }, '/anyOf/1/enum', '`enum` must be a list of values, for example `[refund, return]`.'],
    [{ properties: ['id'] }, '/properties', '`properties` must be an object with a schema for each name, for example `{ id: { type: string } }`.'],
    [{ properties: { required: 3 } }, '/properties/required', '`required` must be a schema: an object, or `true` or `false`.'],
    [{ properties: { minimum: { uniqueItems: 1 } } }, '/properties/minimum/uniqueItems', '`uniqueItems` must be `true` or `false`.'],
    [{ additionalProperties: 'no' }, '/additionalProperties', '`additionalProperties` must be a schema: an object, or `true` or `false`.'],
    [{ dependentRequired: { card: true } }, '/dependentRequired/card', '`dependentRequired` must be an object with a list of names for each name, for example `{ card: [address] }`.'],
    [{ $vocabulary: 3 }, '/$vocabulary', '`$vocabulary` has a value that JSON Schema 2020-12 does not allow.'],
  ])('%j is refused with what the keyword must be', (schema, pointer, detail) => {
    const problems = schemaProblems(schema);
    expect(problems.map((problem) => [jsonPointer(problem.path), problem.detail])).toEqual([[pointer, detail]]);
  }); // prettier-ignore
});

describe('a schema in a definition', () => {
  it.each<JsonObject>([
    { $ref: '#/$defs/a%20b', $defs: { 'a b': {} } },
    { $ref: '#/$defs/a~1b', $defs: { 'a/b': {} } },
    { $schema: 'https://json-schema.org/draft/2020-12/schema#' },
  ])('may be %j', (schema) => {
    expect(schemaProblems(schema)).toEqual([]);
  });
});
