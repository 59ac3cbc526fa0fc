import { DatabaseModule } from '@app/platform/database';
import { Test, type TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import {
  ApiKeyAuthenticationService,
  type BootstrapKey,
  WorkspaceBootstrapService,
  WorkspaceModule,
  WorkspaceStore,
} from './index.js';

describe('the bootstrap of an installation', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let bootstrap: WorkspaceBootstrapService;

  beforeEach(async () => {
    database = await createTestDatabase();
    app = await Test.createTestingModule({
      imports: [
        DatabaseModule.of({ url: database.url, poolSize: 10, applicationName: 'bootstrap-test' }),
        WorkspaceModule,
      ],
    }).compile();
    bootstrap = app.get(WorkspaceBootstrapService);
  });

  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  const aKey = (overrides: Partial<BootstrapKey> = {}): BootstrapKey => ({
    role: 'admin',
    email: 'ada@example.com',
    kind: 'live',
    name: 'laptop',
    ...overrides,
  });
  const authenticate = (key: string) => app.get(ApiKeyAuthenticationService).authenticate(key);

  it('makes a workspace with its admin and their key', async () => {
    const made = await bootstrap.createWorkspace({ name: ' Acme ', adminEmail: 'ada@example.com' });
    expect(await app.get(WorkspaceStore).get(made.workspaceId)).toMatchObject({
      name: 'Acme',
      state: 'active',
      epoch: 1,
    });
    expect(await authenticate(made.key)).toMatchObject({
      memberId: made.memberId,
      role: 'admin',
      kind: 'live',
    });
  });

  it('makes the first workspace for the first admin key, and only one when many ask at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => bootstrap.createKey(aKey({ kind: 'test' }))));
    expect(new Set(made.map(({ workspaceId }) => workspaceId)).size).toBe(1);
    expect(new Set(made.map(({ memberId }) => memberId)).size).toBe(1);
    for (const { key } of made) expect((await authenticate(key)).kind).toBe('test');
  });

  it('makes no workspace for a key that could not administer it', async () => {
    await expect(bootstrap.createKey(aKey({ role: 'viewer' }))).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/role' }],
    });
  });

  it('raises the role of a known member to that of the key, and never lowers it', async () => {
    await bootstrap.createKey(aKey());
    const viewer = await bootstrap.createKey(aKey({ email: 'bob@example.com', role: 'viewer' }));
    const builder = await bootstrap.createKey(aKey({ email: 'Bob@Example.com', role: 'builder' }));
    const again = await bootstrap.createKey(aKey({ email: 'bob@example.com', role: 'operator' }));
    expect((await authenticate(viewer.key)).role).toBe('viewer');
    expect((await authenticate(builder.key)).role).toBe('builder');
    expect((await authenticate(again.key)).role).toBe('operator');
  });

  it('asks which workspace is meant when there are several, and takes its id or its name', async () => {
    const acme = await bootstrap.createWorkspace({ name: 'acme', adminEmail: 'ada@example.com' });
    const globex = await bootstrap.createWorkspace({ name: 'globex', adminEmail: 'ada@example.com' });
    const pointsAt = (pointer: string) => ({ code: 'invalid_request', errors: [{ pointer }] });
    await expect(bootstrap.createKey(aKey())).rejects.toMatchObject(pointsAt('/workspace'));
    await expect(bootstrap.createKey(aKey({ workspace: 'initech' }))).rejects.toMatchObject(pointsAt('/workspace'));
    expect((await bootstrap.createKey(aKey({ workspace: 'globex' }))).workspaceId).toBe(globex.workspaceId);
    expect((await bootstrap.createKey(aKey({ workspace: acme.workspaceId }))).workspaceId).toBe(acme.workspaceId);
  });

  it('refuses an invalid name or address without creating anything', async () => {
    for (const wrong of [{ name: ' ' }, { name: 'x'.repeat(201) }, { adminEmail: 'nobody' }]) {
      const wanted = { name: 'acme', adminEmail: 'ada@example.com', ...wrong };
      await expect(bootstrap.createWorkspace(wanted)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(bootstrap.createKey(aKey({ role: 'viewer' }))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('does not know a workspace that was never made', async () => {
    await expect(app.get(WorkspaceStore).get('wsp_nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });
});
