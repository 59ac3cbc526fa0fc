import { bareSelect, selectProblem } from './source-query.js';

describe('the query of a database source', () => {
  it.each([
    'select 1 as id',
    'SELECT 1 as id;',
    ' with a as (select 1 as id) select * from a ;; ',
    '-- what customers read\nselect 1 as id',
    '/* two\nlines */ select 1 as id',
    '(select 1 as id) union (select 2)',
    `select 'a; b' as id`,
    `select 'it''s; so' as "a; b", \`c; d\``,
    `select 'C:\\' as id, 'a; b' as body`,
    `select 'it\\'s; so' as id`,
    'select $$a; b$$ as id, $q$c; $$ d$q$ as body',
    'table articles',
    'values (1)',
    `select 'a;--' as id`,
    'select \'into\' as id, documents.into, `into`, "into" from documents -- into',
    'select integer_total, into_stock as id from documents',
    'select 1 as id -- and no more',
  ])('may be %j', (query) => expect(selectProblem(query)).toBeUndefined());

  it.each([
    'delete from articles',
    '-- select\ndelete from articles',
    'select 1; drop table articles',
    'select 1 as id) as x; commit; drop table articles; select * from (select 1',
    `select 'a'; delete from articles where b = 'c'`,
    'select 1; -- and more',
    'selection',
    "select 1 into outfile '/tmp/a'",
    "select 1) as a INTO/**/dumpfile '/tmp/a' -- ",
    "select 1.into outfile '/tmp/a'",
    `select '\\' into outfile '/tmp/a' -- '`,
    "select 1 /*! into outfile '/tmp/a' */",
    'select 1 into @a',
    '',
  ])('may not be %j', (query) => expect(selectProblem(query)).toMatch(/statement/));

  it('can be a subquery, whatever it ends with', () => {
    expect(bareSelect('select 1 as id; ;\n')).toBe('select 1 as id\n');
    expect(bareSelect('select 1 as id -- no more')).toBe('select 1 as id -- no more\n');
  });

  it('is checked also if its quotes are never closed', () => {
    for (const part of [`'`, `"`, '$a', '/*', '--', '\\', `'\\`, '(', ';'])
      expect(selectProblem(`select ${part.repeat(5_000)}`)).not.toBe('');
  });
});
