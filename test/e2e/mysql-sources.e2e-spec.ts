import { eventually } from '../support/eventually.js';
import { MYSQL_SERVERS, type MysqlServer } from '../support/mysql-server.js';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres.js';
import { SyncScene } from '../support/sync-scene.js';

describe.each(MYSQL_SERVERS)('sources of the connector mysql, read from %s,', (_, startServer) => {
  let scene: SyncScene;
  let theirs: TestDatabase;
  let server: MysqlServer;
  let base: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    theirs = await createEmptyTestDatabase();
    server = await startServer(theirs.url);
    base = await scene.aBase('mysql');
    await secret('THEIR_DSN', server.dsn);
  });
  afterAll(async () => {
    await scene.stop();
    await server.stop();
    await theirs.drop();
  });

  const secret = (name: string, value: string) =>
    fetch(`${scene.stack.baseUrl}/v1/secrets/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
  const aTable = (name: string, rows: number) =>
    server.run(
      `create table ${name} (id varchar(40) primary key, headline varchar(200), body text, changed bigint)`,
      `insert into ${name} (id, headline, body, changed) values ${Array.from({ length: rows }, (_row, n) => `('${n + 1}', 'Article ${n + 1}', 'What article ${n + 1} says: ä, 漢.', ${9_007_199_254_740_993n + BigInt(n)})`).join(', ')}`,
    );
  const config = (table: string) => ({
    dsn: '${{ secrets.THEIR_DSN }}',
    query: `select id, headline, body, changed from ${table};`,
    key_column: 'id',
    title_column: 'headline',
    updated_at_column: 'changed',
  });

  it('bring the rows of a query, then only those that have changed, and delete what is gone', async () => {
    await aTable('articles', 450);
    await server.run(`insert into articles values ('it''s', 'Quoted', 'Odd keys are keys.', 1)`);
    const source = await scene.aSource(base, { connector: 'mysql', config: config('articles') });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { seen: 451, added: 451 } });
    expect(await scene.text(source, '7')).toBe('What article 7 says: ä, 漢.');
    expect(await scene.text(source, "it's")).toBe('Odd keys are keys.');
    await server.run(
      `update articles set body = 'Something else.', changed = changed + 1000 where id = '7'`,
      `delete from articles where id = '8'`,
      `insert into articles (id, headline, body, changed) values ('1000', 'New', 'What is new.', 1)`,
    );
    expect(await scene.sync(source)).toMatchObject({
      status: 'succeeded',
      progress: { added: 1, updated: 1, deleted: 1, unchanged: 449 },
    });
    expect(await scene.text(source, '7')).toBe('Something else.');
    expect(await scene.titles(source)).not.toContain('Article 8');
    const whole = { ...config('articles'), updated_at_column: null };
    const second = await scene.aSource(base, { connector: 'mysql', config: whole });
    expect(await scene.sync(second)).toMatchObject({ status: 'succeeded', progress: { added: 451 } });
    expect(await scene.sync(second)).toMatchObject({ status: 'succeeded', progress: { unchanged: 451 } });
  });

  it('continue after the last recorded rows when their worker is killed, and count every row once', async () => {
    await aTable('many', 2_000);
    const wide = config('many').query.replace(
      'body',
      `concat(body, ' ', body, ' ', body, ' ', body, ' ', body) as body`,
    );
    const source = await scene.aSource(base, { connector: 'mysql', config: { ...config('many'), query: wide } });
    const { id } = await scene.expect<{ id: string }>('POST', `${source}/sync`);
    const look = async () => expect((await scene.source(source)).last_sync?.progress.seen).toBeGreaterThan(200);
    await eventually(look);
    const [worker] = scene.stack.workers.splice(0);
    await worker!.kill();
    // The new row sorts before all rows that were read, so only a sync that starts from the beginning finds it.
    await server.run(`insert into many (id, headline, body, changed) values ('0', 'First', 'Ahead of all.', 1)`);
    await scene.stack.addWorker();
    expect(await scene.ended(`${source}/syncs/${id}`)).toMatchObject({
      status: 'succeeded',
      progress: { seen: 2_000, added: 2_000, updated: 0, unchanged: 0, deleted: 0 },
    });
    expect(await scene.sync(source)).toMatchObject({ progress: { seen: 2_001, added: 1, unchanged: 2_000 } });
  });

  it('say what is wrong, and keep what is indexed, when the table has vanished or the credentials are wrong', async () => {
    await aTable('vanishing', 3);
    const source = await scene.aSource(base, { connector: 'mysql', config: config('vanishing') });
    await scene.sync(source);
    await server.run('drop table vanishing');
    expect(await scene.sync(source)).toMatchObject({
      status: 'failed',
      error: { code: 'query_failed', message: expect.stringContaining('vanishing') },
    });
    await server.run('create table vanishing (id varchar(40), headline text, body text, changed bigint)');
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'empty_enumeration' } });
    await secret('WRONG_DSN', server.dsn.replace('reader:right', 'nobody:wrong'));
    await scene.expect('PATCH', source, { config: { dsn: '${{ secrets.WRONG_DSN }}' } });
    const refused = await scene.sync(source);
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'access_denied' } });
    expect(JSON.stringify(refused)).not.toContain('wrong@');
    await secret('PRIVATE_DSN', 'mysql://reader:right@10.0.0.1/theirs');
    await scene.expect('PATCH', source, { config: { dsn: '${{ secrets.PRIVATE_DSN }}' } });
    expect(await scene.sync(source)).toMatchObject({
      error: { code: 'database_unreachable', message: expect.stringContaining('address is not public') },
    });
    expect(await scene.titles(source)).toHaveLength(3);
  });

  it('cannot write, whatever the query says', async () => {
    await aTable('precious', 1);
    const two = {
      ...config('precious'),
      updated_at_column: null,
      query: 'select 1 as id) as x; delete from precious; select * from (select 1 as id',
    };
    await expect(scene.aSource(base, { connector: 'mysql', config: two })).rejects.toThrow(/answered 400/);
    const good = await scene.aSource(base, { connector: 'mysql', config: config('precious') });
    expect(await scene.sync(good)).toMatchObject({ status: 'succeeded', progress: { added: 1 } });
  });
});
