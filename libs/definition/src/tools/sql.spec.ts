import type { JsonObject } from '@app/kernel';
import { compareDefinitions } from '../diff/compare-definitions.js';
import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const definition = (type: string, operation: JsonObject, tool: JsonObject = {}): JsonObject => ({
  name: 'x',
  tools: [{ name: 'crm', type, dsn: '${{ secrets.CRM_DSN }}', operations: [{ name: 'run', ...operation }], ...tool }],
  steps: [{ id: 'a', tool: 'crm.run', with: Object.fromEntries(namesIn(operation).map((name) => [name, '1'])) }],
});
const namesIn = ({ params }: JsonObject): string[] => (Array.isArray(params) ? params.map(String) : []);
const parse = (given: JsonObject) => parseDefinition(JSON.stringify(given), 'json', LIMITS);
const errorsIn = (given: JsonObject) => {
  const parsed = parse(given);
  return parsed.ok ? [] : parsed.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
};
const read = (sql: string, params: string[] = []): JsonObject => ({ sql, params, scope: 'read' });

describe('a statement of a SQL tool', () => {
  it.each<[string, JsonObject]>([
    ['postgres', read('select id from invoices where due < $1 and vendor = $2;', ['before', 'vendor'])],
    ['postgres', read('select $1::int + $1::int', ['n'])],
    ['postgres', read(`select 'a;?$1', "b;""$2", $$;$3$$, $tag$ ' $$ ; $tag$, E'\\'; $4' -- ; $5\n /* ; /* $6 */ */`)],
    ['postgres', read('(select 1) union (select 2)')],
    ['postgres', read('-- comment first\nwith a as (select 1) table a')],
    ['postgres', { sql: 'insert into a$1 values ($1)', params: ['n'] }],
    ['postgres', { sql: `merge into a using b on a.id = b.id when matched then update set x = 'it''s; $1'` }],
    ['mysql', read('select \'?\', "it\\"s ?;", `a?;`, ? # ?;\n -- ?\n /* ? */', ['n'])],
    ['mysql', { sql: 'replace into a values (?, ?)', params: ['n', 'n'] }],
    ['mysql', { sql: 'call remind(?);', params: ['n'] }],
    ['mysql', { sql: 'insert into a values (1)' }],
    ['mysql', read("select 'into', t.into, @into, `into`, into_stock from t -- into")],
  ])('of %s is accepted: %j', (type, operation) => {
    expect(errorsIn(definition(type, operation))).toEqual([]);
  });

  it.each<[string, string, JsonObject, string]>([
    ['two statements', 'postgres', read('select 1; select 2'), '/sql The text has more than one statement.'],
    ['two statements', 'mysql', read("select '\\'; select 2; -- '; delete from a"), '/sql The text has more than one'],
    ['another first word', 'postgres', { sql: 'drop table a' }, '/sql A statement must not begin with `drop`.'],
    [
      'a write of a read',
      'postgres',
      read('delete from a'),
      '/sql The statement of a read operation must not begin with `delete`.',
    ],
    ['no statement', 'postgres', read(' -- only a comment'), '/sql The text contains no statement.'],
    ['an expression', 'postgres', read("select '${{ request.a }}'"), '/sql A statement contains no expressions'],
    ['an open quote', 'postgres', read("select 'a"), "/sql The statement contains `'`, which is not closed."],
    [
      'an open dollar quote',
      'postgres',
      read('select $a$ b $$'),
      '/sql The statement contains `$a$`, which is not closed.',
    ],
    ...[
      "select 1 into outfile '/tmp/a'",
      "select 1 INTO/**/DUMPFILE '/tmp/a'",
      'select 1 into @a',
      "select 1.into outfile '/tmp/a'",
      "(select .5into outfile '/tmp/a')",
      "select '\\' into outfile '/tmp/a' -- '",
      `select "\\" into outfile '/tmp/a' -- "`,
      "with a as (select 1) select * into outfile '/tmp/a' from a",
    ].map((sql): [string, string, JsonObject, string] => {
      return [sql, 'mysql', read(sql), '/sql The statement of a read operation must not contain `into`'];
    }),
    ['an open comment', 'mysql', read('select 1 /* a'), '/sql The statement contains `/*`, which is not closed.'],
    [
      'a comment that the server executes',
      'mysql',
      read('select 1 /*!50000 , 2 */'),
      '/sql A comment must not begin with',
    ],
    ['a parameter without a name', 'postgres', read('select $1, $2', ['a']), '/params The statement has 2 parameters'],
    ['a name without a parameter', 'mysql', read('select ?', ['a', 'b']), '/params The statement has 1 parameters'],
    ['a gap', 'postgres', read('select $2, $3', ['a', 'b']), '/params The statement has 2 parameters'],
    ['parameter 0', 'postgres', read('select $0', ['a']), '/params The statement has 1 parameters'],
    ['marks of MySQL', 'postgres', read('select ?', ['a']), '/params The statement has 0 parameters'],
    ['a contradiction', 'postgres', { ...read('select 1'), effect: 'idempotent' }, '/effect `scope: read` and'],
    ['too many rows', 'postgres', { ...read('select 1'), max_rows: 10_001 }, '/max_rows '],
  ])('with %s is rejected in %s', (_what, type, operation, error) => {
    const [first = '', ...others] = errorsIn(definition(type, operation));
    expect(first).toContain(`/tools/0/operations/0${error}`);
    expect(others).toEqual([]);
  });

  it.each(['postgres://ada:pw@db/crm', '${{ secrets.A }}x', '${{ secrets.A + secrets.B }}', '${{ input.dsn }}'])(
    'is rejected with the DSN %s, which is not exactly one secret',
    (dsn) => {
      const [error = ''] = errorsIn(definition('postgres', read('select 1'), { dsn }));
      expect(error).toContain('/tools/0/dsn `dsn` must be exactly one secret');
    },
  );

  it('names its secret, and requires its params in the request', () => {
    const parsed = parse(definition('postgres', { sql: 'update a set b = $1 where id = $2', params: ['b', 'id'] }));
    if (!parsed.ok) throw new Error(parsed.detail);
    expect(parsed.secrets.map(({ name }) => name)).toEqual(['CRM_DSN']);
    const operation = parsed.compiled.operations.get('crm.run');
    expect(operation).toMatchObject({ scope: 'write', effect: 'at_most_once', sql: { maxRows: 1_000 } });
    expect(operation?.request?.validate({ b: null, id: [1] })).toEqual([]);
    expect(operation?.request?.validate({ b: 1 })).toHaveLength(1);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['write', { sql: 'delete from a' }, { sql: 'delete from b' }, ['critical tool_query_changed']],
    ['read', read('select 1'), read('select 2'), ['warning tool_query_changed']],
    ['number of rows', read('select 1'), { ...read('select 1'), max_rows: 5 }, ['warning tool_query_changed']],
    ['description', read('select 1'), { ...read('select 1'), description: 'One.' }, []],
  ])('of which the %s changes is a change of capability', (_what, before, after, expected) => {
    const { capabilityChanges } = compareDefinitions(definition('mysql', before), definition('mysql', after));
    expect(capabilityChanges.map(({ severity, kind }) => `${severity} ${kind}`)).toEqual(expected);
  });
});
