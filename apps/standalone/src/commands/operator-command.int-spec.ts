import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { InstanceRecord } from '../instance-record.js';
import { queryOnce } from '../postgres/connection.js';
import { keys } from './keys.js';
import { type OperatorCommand, perform } from './operator-command.js';
import { signInLink } from './sign-in-link.js';
import { workspaces } from './workspaces.js';

const KEY_ALONE = /^aas_(live|test)_[0-9A-Za-z]{49}\n$/;

describe('the commands of the operator', () => {
  let database: TestDatabase;
  let dataDir: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'commands-'));
  });

  afterEach(async () => {
    await rm(dataDir, { recursive: true });
    await database.drop();
  });

  async function call<T extends object>(
    command: OperatorCommand<T>,
    line: string,
    environment?: Record<string, string>,
  ) {
    const said = { status: -1, out: '', error: '' };
    const terminal = { out: (text: string) => (said.out += text), error: (text: string) => (said.error += text) };
    said.status = await perform(command, line.split(' ').filter(Boolean), terminal, {
      DATA_DIR: dataDir,
      ...(environment ?? { DATABASE_URL: database.url }),
    });
    return said;
  }

  const membersOf = () =>
    queryOnce(
      database.url,
      'select m.email, k.kind, k.role, k.name from api_keys k join members m on m.id = k.member_id order by k.id',
    );

  it('make the first admin key of an installation, printed alone to standard output', async () => {
    const said = await call(keys, 'create --role admin --email Ada@Example.com');
    expect(said).toEqual({
      status: 0,
      out: expect.stringMatching(KEY_ALONE),
      error: expect.stringMatching(/ workspace default \(wsp_\w+\)\. /),
    });
    expect(said.error).not.toContain(said.out.trim());
    expect(await membersOf()).toEqual([
      { email: 'ada@example.com', kind: 'live', role: 'admin', name: 'command line' },
    ]);
  });

  it('make a key of any role and kind in a workspace made before', async () => {
    expect((await call(workspaces, 'create --name acme --admin-email ada@example.com')).out).toMatch(KEY_ALONE);
    const globex = await call(workspaces, 'create --name globex --admin-email ada@example.com');
    expect(globex.error).toMatch(/^Workspace globex \(wsp_\w+\) with the admin ada@example\.com\. /);
    const said = await call(keys, 'create --role viewer --email b@c.de --kind test --name ci --workspace acme');
    expect(said.out).toMatch(/^aas_test_/);
    expect((await membersOf()).at(-1)).toEqual({ email: 'b@c.de', kind: 'test', role: 'viewer', name: 'ci' });
  });

  it('make a link with which a member signs in to the console', async () => {
    await call(keys, 'create --role admin --email ada@example.com');
    const environment = { DATABASE_URL: database.url, PUBLIC_URL: 'https://aas.example.com/' };
    const said = await call(signInLink, 'sign-in-link --email Ada@Example.com', environment);
    const link = /^https:\/\/aas\.example\.com\/console\/sign-in#[A-Za-z0-9_-]{43}\n$/;
    expect(said).toEqual({
      status: 0,
      out: expect.stringMatching(link),
      error: expect.stringMatching(/ workspace default \(wsp_\w+\)\. /),
    });
    const wrong = await call(signInLink, 'sign-in-link --email bob@example.com');
    expect(wrong).toMatchObject({ status: 1, out: '', error: expect.stringMatching(/^--email: There is no member/) });
    expect((await call(signInLink, 'sign-in-link --workspace x')).status).toBe(2);
  });

  it('need no address for --admin', async () => {
    expect((await call(keys, 'create --admin')).out).toMatch(KEY_ALONE);
  });

  it('find the database of the standalone that runs on DATA_DIR', async () => {
    const record = await InstanceRecord.take(dataDir, 'http://127.0.0.1:1', () => undefined);
    await record.update({ database_url: database.url });
    expect((await call(keys, 'create --admin', {})).out).toMatch(KEY_ALONE);
    await record.release();
    expect(await call(keys, 'create --admin', {})).toMatchObject({
      status: 1,
      out: '',
      error: expect.stringMatching(/npm start.*DATA_DIR.*DATABASE_URL/),
    });
  });

  it('say in one line what is wrong with the database, without its password', async () => {
    const away = await call(keys, 'create --admin', { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/service' });
    expect(away).toMatchObject({ status: 1, out: '', error: expect.stringContaining('127.0.0.1:1') });
    expect(away.error).not.toContain('hush');
    const empty = await createEmptyTestDatabase();
    const said = await call(keys, 'create --admin', { DATABASE_URL: empty.url });
    expect(said).toMatchObject({ status: 1, error: expect.stringContaining('migrate') });
    expect([away.error, said.error].map((text) => text.trim().split('\n').length)).toEqual([1, 1]);
    await empty.drop();
  });

  it('say what the service itself refuses', async () => {
    await call(workspaces, 'create --name acme --admin-email ada@example.com');
    const said = await call(keys, 'create --admin --workspace initech');
    expect(said).toMatchObject({ status: 1, out: '', error: expect.stringContaining('"initech"') });
  });

  it('name the option and the workspaces where several may be meant', async () => {
    for (const name of ['acme', 'globex', 'globex'])
      await call(workspaces, `create --name ${name} --admin-email ada@example.com`);
    const ids = (await queryOnce<{ id: string }>(database.url, 'select id from workspaces order by id')).map(
      ({ id }) => id,
    );
    const [acme, first, second] = ids;
    const refusals = [
      [
        '',
        `--workspace: There are several workspaces. Give the id of one: ${acme} (acme), ${first} (globex), ${second} (globex).\n`,
      ],
      [
        ' --workspace globex',
        `--workspace: Several workspaces have the name "globex". Give the id of one: ${first} (globex), ${second} (globex).\n`,
      ],
      [
        ' --workspace initech',
        `--workspace: There is no workspace "initech". Give the id of one: ${acme} (acme), ${first} (globex), ${second} (globex).\n`,
      ],
    ] as const;
    for (const [option, error] of refusals)
      expect(await call(keys, `create --admin${option}`)).toEqual({ status: 1, out: '', error });
    expect((await call(keys, `create --admin --workspace ${second}`)).status).toBe(0);
    const address = await call(keys, 'create --role viewer --email noaddress');
    expect(address.error).toBe('--email: "noaddress" is not an e-mail address.\n');
  });

  it('list the workspaces of the installation', async () => {
    expect(await call(workspaces, 'list')).toEqual({ status: 0, out: '', error: '0 workspaces:\n' });
    for (const name of ['acme', 'globex'])
      await call(workspaces, `create --name ${name} --admin-email ada@example.com`);
    const said = await call(workspaces, 'list');
    expect([said.status, said.error]).toEqual([0, '2 workspaces:\n']);
    const line = (name: string) => new RegExp(`^wsp_[0-9a-z]{26}  active   \\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z  ${name}$`);
    const [acme, globex, ...rest] = said.out.split('\n');
    expect([acme, globex, rest]).toEqual([
      expect.stringMatching(line('acme')),
      expect.stringMatching(line('globex')),
      [''],
    ]);
  });

  it('say what is wrong with the configuration', async () => {
    const said = await call(keys, 'create --admin', { DATABASE_URL: 'mysql://localhost' });
    expect(said).toMatchObject({ status: 1, error: expect.stringContaining('DATABASE_URL') });
  });
});
