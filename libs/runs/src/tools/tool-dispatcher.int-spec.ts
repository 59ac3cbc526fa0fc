import { randomBytes } from 'node:crypto';
import { compileDefinition } from '@app/agents/definition';
import type { JsonObject } from '@app/kernel';
import { EnvModule, loadEnv } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { EgressModule } from '@app/platform/egress';
import { ApiKeys, type Principal, Secrets, SecretsModule, WorkspaceBootstrap } from '@app/workspace';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { Ledger } from '../../../../test/support/ledger.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { HttpToolAdapter } from './http-tool.js';
import type { ToolCallResult } from './tool-call.js';
import { ToolDispatcher } from './tool-dispatcher.service.js';

describe('the dispatcher of tool calls', () => {
  let database: TestDatabase;
  let ledger: Ledger;
  let app: TestingModule;
  let dispatcher: ToolDispatcher;
  let secrets: Secrets;
  let ada: Principal;

  beforeAll(async () => {
    database = await createTestDatabase();
    ledger = await Ledger.start();
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      EGRESS_ALLOW: ledger.egressEntry,
    };
    app = await Test.createTestingModule({
      imports: [
        EnvModule.of(loadEnv(env)),
        CryptoModule,
        DatabaseModule.of({ url: database.url, poolSize: 5, applicationName: 'dispatcher-test' }),
        EgressModule,
        SecretsModule,
      ],
      providers: [HttpToolAdapter, ToolDispatcher],
    }).compile();
    dispatcher = app.get(ToolDispatcher);
    secrets = app.get(Secrets, { strict: false });
  });

  afterAll(async () => {
    await app.close();
    await ledger.close();
    await database.drop();
  });

  beforeEach(async () => {
    ledger.reset();
    const bootstrap = app.get(WorkspaceBootstrap, { strict: false });
    const { key } = await bootstrap.createWorkspace({ name: 'acme', adminEmail: 'ada@example.com' });
    ada = await app.get(ApiKeys, { strict: false }).authenticate(key);
  });

  /** Calls `GET /x` of a tool with these settings. */
  const call = (settings: JsonObject, more: JsonObject[] = []): Promise<ToolCallResult> => {
    const operations = [{ name: 'x', method: 'GET', path: '/x' }];
    const tool = { name: 'shop', type: 'http', base_url: ledger.url, operations, ...settings };
    const definition = compileDefinition({ name: 'a', tools: [tool, ...more], steps: [{ id: 's', tool: 'shop.x' }] });
    const operation = definition.operations.get('shop.x');
    if (!operation) throw new Error('the test definition has no operation');
    return dispatcher.call(definition, {
      workspaceId: ada.workspaceId,
      operation,
      request: { order: 'o-7' },
      timeoutMs: 5_000,
      facts: { input: { team: 'blue' } },
      idempotencyKey: 'k',
      origin: { runId: 'run_1', step: 's', epoch: '1' },
      signal: new AbortController().signal,
      mayStart: () => true,
    });
  };
  const bearer = { auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' } };

  it('sends secrets in the headers that ask for them, next to what else expressions see', async () => {
    await secrets.put(ada, 'TOKEN', 't0ken-value');
    await secrets.put(ada, 'ACCOUNT', 'acc-42');
    const headers = {
      'X-Account': '${{ secrets.ACCOUNT }}/${{ input.team }}',
      'X-Order': '${{ request.order }}',
    };
    expect(await call({ ...bearer, headers })).toMatchObject({ kind: 'answered' });
    expect(ledger.calls[0]?.headers).toMatchObject({
      authorization: 'Bearer t0ken-value',
      'x-account': 'acc-42/blue',
      'x-order': 'o-7',
    });
  });

  it('sends a user and a password', async () => {
    await secrets.put(ada, 'PASSWORD', 'pässwort');
    await call({ auth: { type: 'basic', username: 'ada', password: '${{ secrets.PASSWORD }}' } });
    const [, credentials = ''] = ledger.calls[0]?.headers.authorization?.split(' ') ?? [];
    expect(Buffer.from(credentials, 'base64').toString()).toBe('ada:pässwort');
  });

  it('sends nothing without a secret that the tool needs, and says how to set it', async () => {
    expect(await call(bearer)).toMatchObject({
      kind: 'refused',
      code: 'secret_missing',
      permanent: true,
      message: expect.stringContaining('PUT /v1/secrets/TOKEN'),
    });
    await secrets.put(ada, 'TOKEN', 't0ken-value');
    expect(await call(bearer)).toMatchObject({ kind: 'answered' });
    await secrets.delete(ada, 'TOKEN');
    expect(await call(bearer)).toMatchObject({ kind: 'refused', code: 'secret_missing' });
    expect(ledger.calls).toHaveLength(1);
  });

  it('sends nothing when a secret cannot be opened with the keys of this installation', async () => {
    await secrets.put(ada, 'OTHER', 't0ken-value');
    const copy = `insert into secrets select workspace_id, 'TOKEN', value, created_at, updated_at, updated_by from secrets where workspace_id = $1`;
    await app.get(DataSource).query(copy, [ada.workspaceId]);
    expect(await call(bearer)).toMatchObject({ kind: 'refused', code: 'secret_missing' });
    expect(ledger.calls).toEqual([]);
  });

  it('does not miss the secrets of other tools', async () => {
    const other = { name: 'other', type: 'http', base_url: ledger.url, operations: [], ...bearer };
    expect(await call({}, [other])).toMatchObject({ kind: 'answered' });
  });

  it.each([200, 404, 503])('hands back nothing of a secret that the tool echoes with status %i', async (status) => {
    await secrets.put(ada, 'TOKEN', 't0ken-value');
    await secrets.put(ada, 'OTHER', 'of-another-tool');
    ledger.always('/x', { status, body: ({ headers }) => ({ headers, [`key of-another-tool`]: 'of-another-tool' }) });
    const other = {
      name: 'other',
      type: 'http',
      base_url: ledger.url,
      operations: [],
      headers: { 'X-Key': '${{ secrets.OTHER }}' },
    };
    const result = await call(bearer, [other]);
    expect(result.kind).toBe(status === 200 ? 'answered' : 'refused');
    const text = JSON.stringify(result);
    expect(text).toContain('[redact');
    expect(text).not.toMatch(/t0ken-value|of-another-tool/);
  });

  it('hands back nothing of a secret that the tool answers in a header', async () => {
    await secrets.put(ada, 'TOKEN', 't0ken-value');
    ledger.always('/x', { headers: { 'x-echo': 't0ken-value' } });
    const result = await call(bearer);
    expect(result).toMatchObject({ kind: 'answered', response: { headers: { 'x-echo': '[redacted]' } } });
  });
});
