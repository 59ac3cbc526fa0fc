import { Notifications, Transactions } from '@app/platform/database';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { eventually } from '../../../test/support/eventually.js';
import { startModules } from '../../../test/support/module-app.js';
import { ManualClock } from '../../kernel/src/testing/manual-clock.js';
import {
  ApiKeyAuthenticationService,
  type Principal,
  SECRET_CHANGED,
  SecretsService,
  SecretsModule,
  WorkspaceBootstrapService,
} from './index.js';

describe('secrets', () => {
  const clock = new ManualClock();
  let app: TestingModule;
  let close: () => Promise<void>;
  let secrets: SecretsService;
  let sql: DataSource;
  let ada: Principal;

  beforeAll(async () => {
    ({ app, close } = await startModules([SecretsModule], { clock }));
    secrets = app.get(SecretsService);
    sql = app.get(DataSource);
  });

  afterAll(() => close());

  const anAdmin = async (): Promise<Principal> => {
    const bootstrap = app.get(WorkspaceBootstrapService, { strict: false });
    const { key } = await bootstrap.createWorkspace({ name: 'acme', adminEmail: 'ada@example.com' });
    return app.get(ApiKeyAuthenticationService, { strict: false }).authenticate(key);
  };
  const valueOf = async (name: string, workspaceId = ada.workspaceId): Promise<string | undefined> =>
    (await secrets.values(workspaceId, [name])).get(name);

  beforeEach(async () => {
    ada = await anAdmin();
  });

  it('have the value that was put last, of any text', async () => {
    for (const value of ['first', 'ä \n"quoted"\t€', 'x'.repeat(64 * 1024)]) {
      await secrets.put(ada, 'TOKEN', value);
      expect(await valueOf('TOKEN')).toBe(value);
    }
  });

  it('of several names are read together; those that do not exist are left out', async () => {
    await secrets.put(ada, 'A', '1');
    await secrets.put(ada, 'B', '2');
    expect(await secrets.values(ada.workspaceId, ['A', 'B', 'C'])).toEqual(
      new Map([
        ['A', '1'],
        ['B', '2'],
      ]),
    );
  });

  it('belong to one workspace', async () => {
    const eve = await anAdmin();
    await secrets.put(ada, 'TOKEN', 'of ada');
    expect(await valueOf('TOKEN', eve.workspaceId)).toBeUndefined();
    expect((await secrets.list(eve.workspaceId, { limit: 10, order: 'asc' })).data).toEqual([]);
    await expect(secrets.delete(eve, 'TOKEN')).rejects.toMatchObject({ code: 'not_found' });
    expect(await valueOf('TOKEN')).toBe('of ada');
  });

  it('are sealed in the database, for their own row', async () => {
    await secrets.put(ada, 'TOKEN', 'canary-value');
    const [row] = await sql.query<{ text: string; value: Buffer }[]>(
      'select s::text as text, value from secrets s where workspace_id = $1',
      [ada.workspaceId],
    );
    expect(row?.value.includes('canary')).toBe(false);
    expect(row?.text).toContain('TOKEN');
    await sql.query(
      "insert into secrets select workspace_id, 'COPY', value, created_at, updated_at, updated_by from secrets where workspace_id = $1",
      [ada.workspaceId],
    );
    await expect(valueOf('COPY')).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('that are changed by another process are used at most 10 seconds longer', async () => {
    await secrets.put(ada, 'TOKEN', 'old');
    await secrets.put(ada, 'OTHER', 'gone soon');
    expect([await valueOf('TOKEN'), await valueOf('OTHER')]).toEqual(['old', 'gone soon']);
    await sql.query('delete from secrets where workspace_id = $1', [ada.workspaceId]);
    expect(await valueOf('TOKEN')).toBe('old');
    clock.pass(10_000);
    expect([await valueOf('TOKEN'), await valueOf('OTHER')]).toEqual([undefined, undefined]);
  });

  it('that are changed are notified, so that other processes read them again', async () => {
    const heard: string[] = [];
    const closing = new AbortController();
    const listening = app.get(Notifications, { strict: false }).listen(
      {
        handlers: { [SECRET_CHANGED]: (key) => void heard.push(key) },
        onConnected: () => void heard.push('connected'),
        onDisconnected: (cause) => void heard.push(String(cause)),
      },
      closing.signal,
    );
    await eventually(() => expect(heard).toEqual(['connected']));
    await secrets.put(ada, 'TOKEN', 'old');
    expect(await valueOf('TOKEN')).toBe('old');
    await sql.query('delete from secrets where workspace_id = $1', [ada.workspaceId]);
    await eventually(() => expect(heard.slice(1)).toEqual([`${ada.workspaceId}/TOKEN`]));
    expect(await valueOf('TOKEN')).toBe('old');
    for (const key of heard) secrets.invalidateCached(key);
    expect(await valueOf('TOKEN')).toBeUndefined();
    closing.abort();
    await listening;
  });

  it('that were missing are found as soon as they are there', async () => {
    expect(await valueOf('LATE')).toBeUndefined();
    await secrets.put(ada, 'LATE', 'here');
    expect(await valueOf('LATE')).toBe('here');
  });

  it.each(['', '1ST', 'a-b', 'a b', 'ä', 'x'.repeat(129), 'a\0'])('cannot be called %j', async (name) => {
    await expect(secrets.put(ada, name, 'x')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(secrets.delete(ada, name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['', 'ä'.repeat(32 * 1024 + 1)])('have a value of 1 byte to 64 KiB', async (value) => {
    await expect(secrets.put(ada, 'TOKEN', value)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/value' }],
    });
  });

  it('keep the time of their creation and note each change in the audit log, without a value', async () => {
    await secrets.put(ada, 'TOKEN', 'canary-one');
    const [before] = (await secrets.list(ada.workspaceId, { limit: 10, order: 'asc' })).data;
    await secrets.put(ada, 'TOKEN', 'canary-two');
    const [after] = (await secrets.list(ada.workspaceId, { limit: 10, order: 'asc' })).data;
    expect(after?.createdAt).toEqual(before?.createdAt);
    expect(after?.updatedAt.getTime()).toBeGreaterThanOrEqual(before?.updatedAt.getTime() ?? Infinity);
    await secrets.delete(ada, 'TOKEN');
    const audited = await sql.query<{ action: string; target: string; actor: string; text: string }[]>(
      'select action, target, actor, a::text as text from audit_events a where workspace_id = $1 order by id',
      [ada.workspaceId],
    );
    expect(audited.map(({ action, target, actor }) => [action, target, actor])).toEqual(
      ['secret.create', 'secret.update', 'secret.delete'].map((action) => [action, 'TOKEN', 'ada@example.com']),
    );
    expect(audited.map(({ text }) => text).join()).not.toContain('canary');
  });

  it('are reported as missing as the transaction sees it', async () => {
    await secrets.put(ada, 'A', '1');
    await app.get(Transactions).run(async (transaction) => {
      expect(await secrets.missing(ada.workspaceId, ['A', 'B'], transaction)).toEqual(new Set(['B']));
      await transaction.manager.query('delete from secrets where workspace_id = $1', [ada.workspaceId]);
      expect(await secrets.missing(ada.workspaceId, ['A'], transaction)).toEqual(new Set(['A']));
    });
  });
});
