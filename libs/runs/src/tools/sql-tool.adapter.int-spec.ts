import type { JsonObject } from '@app/kernel';
import { Client } from 'pg';
import { builtPrograms } from '../../../../test/support/built-program.js';
import { MYSQL_SERVERS, type MysqlServer } from '../../../../test/support/mysql-server.js';
import { createEmptyTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';
import { ToolBench } from '../testing/tool-bench.js';
import { SQL_PROGRAM } from './sql-tool.adapter.js';

const EGRESS = { EGRESS_ALLOW: '127.0.0.1/32,::1/128' };

describe('a SQL tool', () => {
  let bench: ToolBench;
  let database: TestDatabase;
  let theirs: Client;

  beforeAll(async () => {
    const useValue = builtPrograms('libs/platform/src/sql-clients/sql-process');
    bench = await ToolBench.start(EGRESS, [{ provide: SQL_PROGRAM, useValue }]);
    database = await createEmptyTestDatabase();
    theirs = new Client({ connectionString: database.url });
    await theirs.connect();
    await bench.secrets.put(bench.ada, 'CRM_DSN', database.url);
  });
  afterAll(async () => {
    await theirs.end();
    await bench.close();
    await database.drop();
  });

  const run = (
    operation: JsonObject,
    request: JsonObject = {},
    { type = 'postgres', dsn = 'CRM_DSN', ...more }: { type?: string; dsn?: string } & Partial<ToolCall> = {},
  ): Promise<ToolCallResult> => {
    const tool = { name: 'crm', type, dsn: `\${{ secrets.${dsn} }}`, operations: [{ name: 'run', ...operation }] };
    return bench.call([tool], 'crm.run', request, { timeoutMs: 60_000, ...more });
  };
  const read = (sql: string, more: JsonObject = {}): JsonObject => ({ scope: 'read', sql, ...more });
  const rowsOf = async (result: Promise<ToolCallResult>): Promise<unknown> => {
    const answer = await result;
    return answer.kind === 'answered' ? (answer.output as { rows: unknown }).rows : answer;
  };

  it('of Postgres returns the values of each type', async () => {
    const sql = `select 7::smallint as i2, 9007199254740991 as i8, 9007199254740993 as big, 1.5::real as f4, 0.1::float8 as f8,
      'NaN'::float8 as nan, true as yes, 1.50::numeric as price, timestamptz '2026-03-09 14:05:00.5+01' as at,
      timestamp '2026-03-09 14:05:00' as local, date '2026-03-09' as day, '{"b":1,"a":[null]}'::json as j, '{"a":1}'::jsonb as jb,
      array[1, null, 3] as ints, array['a,b', 'c"d'] as texts, array[[1, 2], [3, 4]] as deep, array['{"a":1}'::jsonb] as docs,
      '\\x00ff'::bytea as bytes, null as nothing, 'ä' as text, interval '1 day' as gap, inet '10.0.0.1' as ip`;
    expect(await rowsOf(run(read(sql)))).toEqual([
      {
        i2: 7,
        i8: 9_007_199_254_740_991,
        big: '9007199254740993',
        f4: 1.5,
        f8: 0.1,
        nan: 'NaN',
        yes: true,
        price: '1.50',
        at: '2026-03-09T13:05:00.5Z',
        local: '2026-03-09 14:05:00',
        day: '2026-03-09',
        j: { b: 1, a: [null] },
        jb: { a: 1 },
        ints: [1, null, 3],
        texts: ['a,b', 'c"d'],
        deep: [[1, 2], [3, 4]],
        docs: [{ a: 1 }],
        bytes: 'AP8=',
        nothing: null,
        text: 'ä',
        gap: '1 day',
        ip: '10.0.0.1',
      },
    ]); // prettier-ignore
  });

  it('of Postgres loses no column and no digit', async () => {
    const id = '1533947986218845197';
    const sql = `select o.id, c.id, '{"id":${id}}'::jsonb as j, array['[${id}]'::json] as l from (values (1)) o(id), (values (2)) c(id)`;
    expect(await rowsOf(run(read(sql)))).toEqual([{ id_1: 1, id: 2, j: { id }, l: [[id]] }]);
    await theirs.query('create table pairs (id int)');
    const write = { sql: 'insert into pairs values (1) returning id, id + 1 as id' };
    expect(await rowsOf(run(write))).toEqual([{ id_1: 1, id: 2 }]);
  });

  it('of Postgres returns arrays of types that the database defines', async () => {
    await theirs.query(`create type mood as enum ('sad', 'happy')`);
    expect(await rowsOf(run(read(`select array['happy', 'sad']::mood[] as moods, 'sad'::mood as mood`)))).toEqual([
      { moods: ['happy', 'sad'], mood: 'sad' },
    ]);
  });

  it('of Postgres has written even if the rows of the write cannot be read', async () => {
    await theirs.query(`create type size as enum ('small'); create table marks (id int); create role plain_reader;
      revoke select on pg_catalog.pg_type from public; grant insert, select on marks to plain_reader`);
    const sql = `insert into marks values (1) returning array['small']::size[] as sizes, set_config('role', 'plain_reader', false)`;
    try {
      expect(await run({ sql })).toMatchObject({
        kind: 'answered',
        output: { rows: [], row_count: 1, truncated: true },
      });
    } finally {
      await theirs.query('grant select on pg_catalog.pg_type to public; drop table marks; drop role plain_reader');
    }
  });

  it('of Postgres takes lists as arrays and objects as JSON', async () => {
    const sql = 'select n, $2::jsonb as doc, $3::text as word from unnest($1::int[]) n order by n';
    const request = { ids: [2, 1], doc: { a: "it's" }, word: null };
    expect(await rowsOf(run(read(sql, { params: ['ids', 'doc', 'word'] }), request))).toEqual([
      { n: 1, doc: { a: "it's" }, word: null },
      { n: 2, doc: { a: "it's" }, word: null },
    ]);
  });

  it('of Postgres returns at most max_rows rows', async () => {
    const sql = 'select n from generate_series(1, 1000000) n';
    const three = await run(read(sql, { max_rows: 3 }));
    expect(three).toMatchObject({ output: { rows: [{ n: 1 }, { n: 2 }, { n: 3 }], row_count: 3, truncated: true } });
    const all = await run(read('select n from generate_series(1, 3) n', { max_rows: 3 }));
    expect(all).toMatchObject({ output: { row_count: 3, truncated: false } });
    const wide = await run(read(`select repeat('x', 300000) as x from generate_series(1, 100)`));
    expect(wide).toMatchObject({ output: { row_count: 3, truncated: true } });
  });

  it('of Postgres reports what a write changed, and changes nothing in a read', async () => {
    await theirs.query('create table notes (id int primary key, text text, constraint short check (length(text) < 9))');
    const insert = { sql: 'insert into notes values ($1, $2) returning id', params: ['id', 'text'] };
    expect(await run(insert, { id: 1, text: 'one' })).toMatchObject({
      output: { rows: [{ id: 1 }], row_count: 1, truncated: false },
    });
    await run(insert, { id: 2, text: 'two' });
    expect(await run({ sql: `update notes set text = 'new'` })).toMatchObject({ output: { rows: [], row_count: 2 } });
    const sneaky = read(`with gone as (delete from notes returning id) select * from gone`);
    expect(await run(sneaky)).toMatchObject({ kind: 'refused', code: 'tool_error' });
    expect((await theirs.query('select id from notes')).rowCount).toBe(2);
  });

  it('of Postgres reports the constraint that a write violates, and does not repeat the write', async () => {
    await theirs.query('create table users (id int constraint one_user primary key)');
    const insert = { sql: 'insert into users values ($1)', params: ['id'] };
    await run(insert, { id: 1 });
    expect(await run(insert, { id: 1 })).toMatchObject({
      kind: 'refused',
      code: 'tool_error',
      permanent: true,
      message: expect.stringContaining('crm.run'),
      body: { sqlstate: '23505', constraint: 'one_user' },
    });
    expect(await run(read('select 1 / 0'))).toMatchObject({ body: { sqlstate: '22012', constraint: null } });
    expect(await run(read('select nope'))).toMatchObject({ code: 'tool_error', body: { sqlstate: '42703' } });
  });

  it('of Postgres ends a statement at the timeout of the call', async () => {
    expect(await run(read('select pg_sleep(600)'), {}, { timeoutMs: 2_000 })).toMatchObject({ code: 'timeout' });
    const write = { sql: 'select pg_sleep(600)' };
    expect(await run(write, {}, { timeoutMs: 2_000 })).toMatchObject({
      kind: 'refused',
      code: 'timeout',
      body: { sqlstate: '57014' },
    });
  });

  it('does not send a statement that was held back, and reports a write whose connection broke as unknown', async () => {
    await theirs.query('create table sent (n int)');
    const write = { sql: 'insert into sent values (1)' };
    expect(await run(write, {}, { mayStart: () => false })).toEqual({ kind: 'not_started' });
    expect((await theirs.query('select n from sent')).rowCount).toBe(0);
    const broken = 'select pg_terminate_backend(pg_backend_pid())';
    expect(await run({ sql: broken })).toMatchObject({ kind: 'unknown', code: 'tool_error' });
    expect(await run(read(broken))).toMatchObject({ kind: 'refused', unanswered: true });
  });

  it('reports a database that cannot be reached, a wrong password and a blocked address, without the DSN', async () => {
    const url = new URL(database.url);
    url.password = 'wr0ng-p4ssword';
    const dsns = {
      WRONG: url.href,
      CLOSED: 'postgres://a:s3cret-w0rd@127.0.0.1:1/x',
      BLOCKED: 'postgres://a:b@10.1.2.3/x',
      NONE: 'no dsn at all',
    };
    for (const [dsn, value] of Object.entries(dsns)) {
      await bench.secrets.put(bench.ada, dsn, value);
      const result = await run(read('select 1'), {}, { dsn });
      if (dsn !== 'WRONG') expect(result).toMatchObject({ kind: 'refused', code: 'tool_error' });
      expect(JSON.stringify(result)).not.toMatch(/wr0ng-p4ssword|s3cret-w0rd|no dsn at all/);
    }
  });

  const mariadb = MYSQL_SERVERS.find(([name]) => name.includes('MariaDB'))?.[1];
  (mariadb ? describe : describe.skip)('of MariaDB', () => {
    let server: MysqlServer;

    beforeAll(async () => {
      server = await mariadb!(database.url);
      await bench.secrets.put(bench.ada, 'MYSQL_DSN', server.dsn);
    });
    afterAll(() => server.stop());

    const mysql = { type: 'mysql', dsn: 'MYSQL_DSN' };

    it('loses no column and no digit', async () => {
      const sql = `select o.id, c.id, json_extract('{"id":1533947986218845197}', '$') as j from (select 1 as id) o, (select 2 as id) c`;
      const [row] = (await rowsOf(run(read(sql), {}, mysql))) as JsonObject[];
      expect(row).toMatchObject({ id_1: 1, id: 2 });
      expect(JSON.stringify(row?.j)).toContain('1533947986218845197');
    });

    it('returns the values of each type', async () => {
      await server.run(
        `create table kinds (i int, big bigint, small tinyint, yes boolean, price decimal(9, 2), f double, at timestamp null,
           j json, bytes varbinary(9), word varchar(20) character set utf8mb4, day date)`,
        `insert into kinds values (7, 9007199254740993, 5, true, 1.5, 0.1, '2026-03-09 13:05:00', '{"b":1}', x'00ff', 'ä?', '2026-03-09')`,
      );
      const [row] = (await rowsOf(run(read('select * from kinds'), {}, mysql))) as JsonObject[];
      expect(row).toMatchObject({
        i: 7,
        big: '9007199254740993',
        small: 5,
        yes: true,
        price: '1.50',
        f: 0.1,
        at: '2026-03-09 13:05:00',
        j: { b: 1 },
        bytes: 'AP8=',
        word: 'ä?',
        day: '2026-03-09',
      });
    });

    it('takes parameters that contain SQL as values', async () => {
      const sql = "select '?' as mark, ? as word, ? as n, ? as doc, ? as nothing limit ?";
      const params = ['word', 'n', 'doc', 'nothing', 'limit'];
      const request = { word: "'\\'; drop table kinds; -- ä", n: 1.5, doc: [1, 'a'], nothing: null, limit: 1 };
      const [row] = (await rowsOf(run(read(sql, { params }), request, mysql))) as JsonObject[];
      expect(row).toMatchObject({ mark: '?', word: request.word, nothing: null, doc: '[1,"a"]' });
    });

    it('returns at most max_rows rows, and reports what a write changed', async () => {
      const sql = 'select seq as n from seq_1_to_100000';
      expect(await run(read(sql, { max_rows: 2 }), {}, mysql)).toMatchObject({
        output: { rows: [{ n: 1 }, { n: 2 }], row_count: 2, truncated: true },
      });
      await server.run('create table notes (id int, constraint one_note unique (id))');
      const insert = { sql: 'insert into notes values (?), (?)', params: ['a', 'b'] };
      expect(await run(insert, { a: 1, b: 2 }, mysql)).toMatchObject({
        output: { rows: [], row_count: 2, truncated: false },
      });
      expect(await run(insert, { a: 3, b: 1 }, mysql)).toMatchObject({
        kind: 'refused',
        code: 'tool_error',
        body: { sqlstate: '23000', constraint: 'one_note' },
      });
      expect(await run(read('select count(*) as n from notes'), {}, mysql)).toMatchObject({
        output: { rows: [{ n: 2 }] },
      });
    });

    it('refuses a stored read that writes a file on the server', async () => {
      const sql = "select 'a' into outfile '/tmp/agent-automation-outfile'";
      expect(await run(read(sql), {}, mysql)).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('contains `into`'),
      });
    });

    it('reports a read that has no result set', async () => {
      expect(await run(read('do 1'), {}, mysql)).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('has no result set'),
      });
    });

    it('ends a statement at the timeout of the call', async () => {
      expect(await run(read('select sleep(600)'), {}, { ...mysql, timeoutMs: 2_000 })).toMatchObject({
        code: 'timeout',
      });
    });
  });
});
