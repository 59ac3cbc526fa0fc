import type { JsonObject } from '@app/kernel';
import { OperationSchemas } from './operation-schema.js';

const problemsOf = (schema: JsonObject) => new OperationSchemas('crm').problems('addNote', 2, schema);

describe('the request schema that a server gives an operation', () => {
  it('has no problem where it can be checked', () => {
    expect(problemsOf({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } })).toEqual([]);
  });

  it('is refused when it is too large, with the operation and what to do', () => {
    expect(problemsOf({ description: 'x'.repeat(1024 * 1024) })).toEqual([
      {
        tool: 'crm',
        key: ['include', 2],
        severity: 'error',
        detail:
          '`addNote` cannot be called, because its request schema cannot be used: it has more than 1048576 characters.',
        suggestion: 'Remove `addNote` from `include`, or ask the provider of the server for a simpler schema.',
      },
    ]);
  });

  it('is refused when Postgres cannot store it, or when checking it has no end', () => {
    expect(problemsOf({ description: 'a\0b' })).toMatchObject([
      { severity: 'error', detail: expect.stringContaining('/description') },
    ]);
    expect(problemsOf({ $ref: '#' })).toMatchObject([
      { severity: 'error', detail: expect.stringContaining('refers to itself endlessly') },
    ]);
  });

  it('is used without what cannot be checked, with up to five warnings', () => {
    const properties = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`p${n}`, { pattern: '(?=a)' }]));
    const problems = problemsOf({ type: 'object', properties });
    expect(problems).toHaveLength(5);
    expect(problems[0]).toMatchObject({
      severity: 'warning',
      detail: expect.stringContaining('Requests of `crm.addNote` are not checked against `/properties/p0/pattern`'),
    });
  });

  it('shares its limit of patterns with the other operations of the server', () => {
    const schemas = new OperationSchemas('crm');
    const large = (n: number): JsonObject => ({ pattern: `^(a{1,200}b{1,200}){1,3}${n}$` });
    const refused = Array.from({ length: 400 }, (_, n) => schemas.problems('addNote', n, large(n))).flat();
    expect(refused.at(-1)).toMatchObject({ severity: 'error', key: ['include', 399] });
    expect(problemsOf(large(399))).toEqual([]);
  });
});
