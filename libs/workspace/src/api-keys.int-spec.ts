import { newApiKey } from '@app/platform/crypto';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { eventually } from '../../../test/support/eventually.js';
import { startModules } from '../../../test/support/module-app.js';
import { ManualClock } from '../../kernel/src/testing/manual-clock.js';
import {
  ApiKeysService,
  ApiKeyAuthenticationService,
  ApiKeysModule,
  type NewApiKeyRequest,
  type Principal,
  scopesOf,
  WorkspaceBootstrapService,
} from './index.js';

describe('API keys', () => {
  const clock = new ManualClock();
  let app: TestingModule;
  let close: () => Promise<void>;
  let keys: ApiKeyAuthenticationService;
  let register: ApiKeysService;
  let sql: DataSource;

  beforeAll(async () => {
    // All requests use the same database connection, so that one `pg_stat_force_next_flush` covers all their
    // transactions.
    ({ app, close } = await startModules([ApiKeysModule], { clock, poolSize: 1 }));
    keys = app.get(ApiKeyAuthenticationService, { strict: false });
    register = app.get(ApiKeysService);
    sql = app.get(DataSource);
  });

  afterAll(() => close());

  const aWorkspace = (name = 'acme') =>
    app.get(WorkspaceBootstrapService).createWorkspace({ name, adminEmail: 'Ada@Example.com' });
  const anAdmin = async (): Promise<Principal> => keys.authenticate((await aWorkspace()).key);
  const aRequest = (overrides: Partial<NewApiKeyRequest> = {}): NewApiKeyRequest => ({
    member: 'ada@example.com',
    name: 'ci',
    kind: 'live',
    role: 'operator',
    scopes: null,
    agents: null,
    isAutomation: false,
    expiresAt: null,
    ...overrides,
  });
  const refused = (code: string) => expect.objectContaining({ code });
  const transactionsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const committed = async (): Promise<number> => {
      await sql.query('select pg_stat_force_next_flush()');
      const rows = await sql.query<{ n: number }[]>(
        'select xact_commit::int as n from pg_stat_database where datname = current_database()',
      );
      return rows[0]?.n ?? 0;
    };
    const before = await committed();
    await work();
    return (await committed()) - before;
  };

  const lastUse = async (id: string): Promise<Date | null> =>
    (await sql.query<{ at: Date | null }[]>('select last_used_at as at from api_keys where id = $1', [id]))[0]?.at ??
    null;

  it('stand for their member, workspace and role', async () => {
    const made = await aWorkspace('globex');
    expect(await keys.authenticate(made.key)).toEqual({
      workspaceId: made.workspaceId,
      workspaceName: 'globex',
      memberId: made.memberId,
      email: 'ada@example.com',
      role: 'admin',
      scopes: scopesOf('admin'),
      kind: 'live',
      key: { id: expect.stringMatching(/^key_/), kind: 'live', name: 'first admin key' },
      session: null,
      limits: { keyId: expect.stringMatching(/^key_/), agents: null, isAutomation: false },
    });
  });

  it('are refused when malformed or never made', async () => {
    await expect(keys.authenticate('aas_live_nonsense')).rejects.toEqual(refused('invalid_api_key'));
    await expect(keys.authenticate(newApiKey('live').key)).rejects.toEqual(refused('invalid_api_key'));
  });

  it('are dead at most 10 seconds after another process revoked them', async () => {
    const { key } = await register.create(await anAdmin(), aRequest());
    const { key: known } = await keys.authenticate(key);
    await sql.query('update api_keys set revoked_at = clock_timestamp() where id = $1', [known?.id]);
    clock.pass(10_000);
    await expect(keys.authenticate(key)).rejects.toEqual(refused('invalid_api_key'));
  });

  it('expire to the millisecond, also while they are remembered', async () => {
    const expiresAt = new Date(clock.now().getTime() + 2_000);
    const { key } = await register.create(await anAdmin(), aRequest({ expiresAt }));
    await keys.authenticate(key);
    clock.pass(1_999);
    await keys.authenticate(key);
    clock.pass(1);
    await expect(keys.authenticate(key)).rejects.toEqual(refused('expired_api_key'));
  });

  it('are read once for many requests at the same time, and then not at all for a while', async () => {
    const { key, apiKey } = await register.create(await anAdmin(), aRequest());
    const requests = () => Promise.all(Array.from({ length: 50 }, () => keys.authenticate(key)));
    await requests();
    await eventually(async () => expect(await lastUse(apiKey.id)).not.toBeNull());
    const counting = await transactionsOf(async () => undefined);
    expect((await transactionsOf(requests)) - counting).toBe(0);
    clock.pass(10_000);
    expect((await transactionsOf(requests)) - counting).toBe(1);
  });

  it('of several workspaces share one read, and each gets its own member', async () => {
    const made = await Promise.all(['initech', 'hooli', 'umbrella'].map((name) => aWorkspace(name)));
    const unknown = newApiKey('live').key;
    const requests = () =>
      Promise.allSettled([made[0]!.key, unknown, made[1]!.key, made[2]!.key].map((key) => keys.authenticate(key)));
    const [first, rejected, second, third] = await requests();
    expect([first, second, third]).toMatchObject(
      made.map(({ workspaceId, memberId }) => ({ value: { workspaceId, memberId } })),
    );
    expect(rejected).toMatchObject({ reason: { code: 'invalid_api_key' } });
    await eventually(async () => {
      for (const { workspaceId } of made)
        expect(
          await sql.query('select last_used_at as at from api_keys where workspace_id = $1', [workspaceId]),
        ).toEqual([{ at: expect.any(Date) }]);
    });
    clock.pass(10_000);
    const counting = await transactionsOf(async () => undefined);
    // The unknown key is looked up again by itself.
    expect((await transactionsOf(requests)) - counting).toBe(2);
  });

  it('note their use at most once a minute', async () => {
    const { key, apiKey } = await register.create(await anAdmin(), aRequest());
    await keys.authenticate(key);
    const first = await eventually(async () => {
      const at = await lastUse(apiKey.id);
      expect(at).not.toBeNull();
      return at;
    });
    clock.pass(10_000);
    await keys.authenticate(key);
    expect(await lastUse(apiKey.id)).toEqual(first);

    await sql.query("update api_keys set last_used_at = last_used_at - interval '61 seconds' where id = $1", [
      apiKey.id,
    ]);
    clock.pass(10_000);
    await keys.authenticate(key);
    await eventually(async () =>
      expect((await lastUse(apiKey.id))?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? 0),
    );
  });

  it('may do no more than their member, even after the member lost a role', async () => {
    const admin = await anAdmin();
    const { key } = await register.create(admin, aRequest({ role: 'builder' }));
    await sql.query("update members set role = 'viewer' where id = $1", [admin.memberId]);
    expect(await keys.authenticate(key)).toMatchObject({ role: 'viewer', scopes: scopesOf('viewer') });
    await expect(register.create(admin, aRequest({ role: 'operator' }))).rejects.toEqual(refused('invalid_request'));
  });

  it('can be narrowed to some scopes of their role, and to no others', async () => {
    const admin = await anAdmin();
    const { key } = await register.create(admin, aRequest({ role: 'viewer', scopes: ['runs:read'] }));
    expect([...(await keys.authenticate(key)).scopes]).toEqual(['runs:read']);
    await expect(register.create(admin, aRequest({ role: 'viewer', scopes: ['keys:manage'] }))).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/scopes/0' }],
    });
  });

  it('hand out nothing that they do not hold themselves', async () => {
    const admin = await anAdmin();
    const minting = await register.create(admin, aRequest({ role: 'admin', scopes: ['keys:manage', 'runs:read'] }));
    const actor = await keys.authenticate(minting.key);
    await expect(register.create(actor, aRequest({ role: 'admin' }))).rejects.toEqual(refused('insufficient_scope'));
    await register.create(actor, aRequest({ role: 'viewer', scopes: ['runs:read'] }));
  });

  it('hand out no agent, and no decision, that they do not have themselves', async () => {
    const admin = await anAdmin();
    const limits = { agents: ['agt_a', 'agt_b'], isAutomation: true };
    const minting = await register.create(admin, aRequest({ role: 'admin', ...limits }));
    const actor = await keys.authenticate(minting.key);
    expect(actor.limits).toMatchObject(limits);
    for (const wider of [{ agents: null }, { agents: ['agt_a', 'agt_c'] }, { isAutomation: false }]) {
      const wanted = register.create(actor, aRequest({ ...limits, ...wider }));
      await expect(wanted).rejects.toEqual(refused('insufficient_scope'));
    }
    await register.create(actor, aRequest({ agents: ['agt_a'], isAutomation: true }));
  });

  it('keep their limits when they are rotated, and are not rotated by a key with less', async () => {
    const admin = await anAdmin();
    const { apiKey } = await register.create(admin, aRequest({ agents: ['agt_a'], isAutomation: true }));
    const { key } = await register.rotate(admin, apiKey.id, 0);
    expect((await keys.authenticate(key)).limits).toEqual({ keyId: apiKey.id, agents: ['agt_a'], isAutomation: true });
    const other = await register.create(admin, aRequest({ role: 'admin', agents: ['agt_b'] }));
    const rotated = register.rotate(await keys.authenticate(other.key), apiKey.id, 0);
    await expect(rotated).rejects.toEqual(refused('insufficient_scope'));
  });

  it('are made only for members of the same workspace', async () => {
    const admin = await anAdmin();
    const other = await app
      .get(WorkspaceBootstrapService)
      .createWorkspace({ name: 'other', adminEmail: 'bob@example.com' });
    expect((await keys.authenticate(other.key)).email).toBe('bob@example.com');
    await expect(register.create(admin, aRequest({ member: 'bob@example.com' }))).rejects.toMatchObject({
      code: 'unknown_reference',
      errors: [{ pointer: '/member' }],
    });
  });

  it('are not made to be dead already', async () => {
    const expiresAt = clock.now();
    await expect(register.create(await anAdmin(), aRequest({ expiresAt }))).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/expires_at' }],
    });
  });

  describe('that are rotated', () => {
    it('have two valid texts during the grace time, and then one', async () => {
      const admin = await anAdmin();
      const { key: before, apiKey } = await register.create(admin, aRequest());
      const rotated = await register.rotate(admin, apiKey.id, 60);
      expect(rotated.apiKey).toMatchObject({ id: apiKey.id, prefix: rotated.key.slice(0, 13) });
      expect(rotated.apiKey.previousExpiresAt?.getTime()).toBeGreaterThan(Date.now() + 50_000);
      for (const text of [before, rotated.key]) {
        expect(await keys.authenticate(text)).toMatchObject({ role: 'operator', key: { id: apiKey.id } });
      }
      await sql.query("update api_keys set previous_expires_at = '2020-01-01' where id = $1", [apiKey.id]);
      clock.pass(10_000);
      await expect(keys.authenticate(before)).rejects.toEqual(refused('expired_api_key'));
      await keys.authenticate(rotated.key);
    });

    const rotations = async (...graces: number[]) => {
      const admin = await anAdmin();
      const { key, apiKey } = await register.create(admin, aRequest());
      const texts = [key];
      for (const grace of graces) texts.push((await register.rotate(admin, apiKey.id, grace)).key);
      return { admin, apiKey, texts };
    };
    const areValid = (texts: readonly string[]) =>
      Promise.all(
        texts.map((text) =>
          keys.authenticate(text).then(
            () => true,
            () => false,
          ),
        ),
      );
    const former = (id: string) => sql.query<object[]>('select n from former_secrets where owner_id = $1', [id]);

    it('again keep each former text until its own time is over', async () => {
      const { texts, apiKey } = await rotations(3_600, 1_800, 2_400);
      expect(await areValid(texts)).toEqual([true, true, true, true]);
      await sql.query("update former_secrets set expires_at = '2020-01-01' where owner_id = $1 and n = 2", [apiKey.id]);
      clock.pass(10_000);
      expect(await areValid(texts)).toEqual([true, false, true, true]);
    });

    it('without grace lose all former texts', async () => {
      const { admin, texts, apiKey } = await rotations(3_600, 3_600, 3_600);
      expect(await areValid(texts)).toEqual([true, true, true, true]);
      const { key } = await register.rotate(admin, apiKey.id, 0);
      expect(await areValid([...texts.slice(0, -1), key])).toEqual([false, false, false, true]);
      expect(await former(apiKey.id)).toEqual([]);
    });

    it('often keep the five texts before the current one', async () => {
      const { texts } = await rotations(...Array.from({ length: 7 }, () => 3_600));
      expect(await areValid(texts)).toEqual([false, false, true, true, true, true, true, true]);
    });

    it('do not outlive themselves by the grace time', async () => {
      const admin = await anAdmin();
      const expiresAt = new Date(clock.now().getTime() + 2_000);
      const { key: before, apiKey } = await register.create(admin, aRequest({ expiresAt }));
      await register.rotate(admin, apiKey.id, 3_600);
      clock.pass(2_000);
      await expect(keys.authenticate(before)).rejects.toEqual(refused('expired_api_key'));
    });

    it('are refused once they have expired, because a new text would be dead as well', async () => {
      const admin = await anAdmin();
      const expiresAt = new Date(clock.now().getTime() + 2_000);
      const { apiKey } = await register.create(admin, aRequest({ expiresAt }));
      await register.rotate(admin, apiKey.id, 0);
      clock.pass(2_000);
      await expect(register.rotate(admin, apiKey.id, 0)).rejects.toEqual(refused('invalid_request'));
      expect((await register.get(admin.workspaceId, apiKey.id)).apiKey.expiresAt).toEqual(expiresAt);
    });

    it('are not rotated by an actor who may do less', async () => {
      const admin = await anAdmin();
      const { apiKey } = await register.create(admin, aRequest({ role: 'admin' }));
      const weaker = await register.create(admin, aRequest({ role: 'admin', scopes: ['keys:manage'] }));
      const actor = await keys.authenticate(weaker.key);
      await expect(register.rotate(actor, apiKey.id, 0)).rejects.toEqual(refused('insufficient_scope'));
    });
  });

  it('that are revoked are gone at once where they are looked for, and dead with all their texts', async () => {
    const admin = await anAdmin();
    const { key: first, apiKey } = await register.create(admin, aRequest());
    const { key: second } = await register.rotate(admin, apiKey.id, 3_600);
    const { key } = await register.rotate(admin, apiKey.id, 3_600);
    const texts = [first, second, key];
    for (const text of texts) await keys.authenticate(text);
    await register.revoke(admin, apiKey.id);
    await expect(register.get(admin.workspaceId, apiKey.id)).rejects.toEqual(refused('not_found'));
    await expect(register.rotate(admin, apiKey.id, 0)).rejects.toEqual(refused('not_found'));
    await expect(register.revoke(admin, apiKey.id)).rejects.toEqual(refused('not_found'));
    for (const text of texts) await expect(keys.authenticate(text)).rejects.toEqual(refused('invalid_api_key'));
  });

  it('of another workspace are unknown', async () => {
    const [owner, stranger] = [await anAdmin(), await anAdmin()];
    const { apiKey, key } = await register.create(owner, aRequest());
    await expect(register.get(stranger.workspaceId, apiKey.id)).rejects.toEqual(refused('not_found'));
    await expect(register.rotate(stranger, apiKey.id, 0)).rejects.toEqual(refused('not_found'));
    await expect(register.revoke(stranger, apiKey.id)).rejects.toEqual(refused('not_found'));
    const { data } = await register.list(stranger.workspaceId, { limit: 100, order: 'asc' });
    expect(data.map((each) => each.apiKey.name)).toEqual(['first admin key']);
    await keys.authenticate(key);
  });

  it('leave no trace of their text in the database', async () => {
    const { key, apiKey } = await register.create(await anAdmin(), aRequest());
    const [row] = await sql.query<{ text: string }[]>('select k::text as text from api_keys k where id = $1', [
      apiKey.id,
    ]);
    expect(row?.text).toContain(apiKey.prefix);
    expect(row?.text).not.toContain(key.slice(apiKey.prefix.length, -4));
    expect(apiKey).toMatchObject({ createdAt: expect.any(Date), lastFour: key.slice(-4), lastUsedAt: null });
  });
});
