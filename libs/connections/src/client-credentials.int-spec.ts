import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CryptoModule, sha256 } from '@app/platform/crypto';
import { DatabaseModule, Statements } from '@app/platform/database';
import { Test, type TestingModule } from '@nestjs/testing';
import { CLIENT, OauthServer } from '../../../test/support/oauth-server.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { settingsModule } from '../../../test/support/settings-module.js';
import { type ClientCredentials, ClientCredentialsService } from './client-credentials.service.js';
import { ConnectionsModule } from './connections.module.js';

const WORKSPACE = 'wsp_1';
const ISSUED = 'client_credentials ok';

describe('the tokens of client credentials', () => {
  let database: TestDatabase;
  let server: OauthServer;
  let first: TestingModule;
  let second: TestingModule;
  let credentials: ClientCredentials;

  const process = (encryptionKey: string): Promise<TestingModule> =>
    Test.createTestingModule({
      imports: [
        settingsModule({ DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey, EGRESS_ALLOW: '127.0.0.1' }),
        CryptoModule,
        DatabaseModule.of({ url: database.url, poolSize: 5, applicationName: 'token-test' }),
        ConnectionsModule,
      ],
    }).compile();
  const tokensOf = (app: TestingModule): ClientCredentialsService => app.get(ClientCredentialsService);
  const query = (text: string) =>
    first
      .get(Statements, { strict: false })
      .query<{ row: string }>({ name: sha256(text).toString('hex').slice(0, 20), text }, []);

  beforeAll(async () => {
    database = await createTestDatabase();
    const key = randomBytes(32).toString('hex');
    [first, second] = await Promise.all([process(key), process(key)]);
  });

  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
    await database.drop();
  });

  beforeEach(async () => {
    server = await OauthServer.start('http://127.0.0.1/callback');
    credentials = {
      tokenUrl: `${server.url}/token`,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scopes: ['read'],
      parameters: {},
      clientAuthentication: 'basic',
    };
  });

  afterEach(() => server.stop());

  it('are requested once for all calls of two processes, and used until they are due', async () => {
    const asked = [first, second, first, second, first, second].map((app) =>
      tokensOf(app).accessToken(WORKSPACE, credentials),
    );
    const tokens = new Set((await Promise.all(asked)).map(({ token }) => token));
    expect(tokens.size).toBe(1);
    expect(server.grants).toEqual([ISSUED]);
    expect(tokens).toContain((await tokensOf(second).accessToken(WORKSPACE, credentials)).token);
    expect(server.grants).toHaveLength(1);
  });

  it('are renewed by one process before they expire, while the other still uses the present token', async () => {
    const present = await tokensOf(first).accessToken(WORKSPACE, credentials);
    await query(`update oauth_tokens set renew_at = clock_timestamp()`);
    const renewed = await Promise.all([first, second].map((app) => tokensOf(app).accessToken(WORKSPACE, credentials)));
    expect(server.grants).toEqual([ISSUED, ISSUED]);
    expect(renewed.some(({ token }) => token !== present.token)).toBe(true);
    const next = await tokensOf(second).accessToken(WORKSPACE, credentials);
    expect(next.revision).toBe(present.revision + 1);
  });

  it('are due a tenth of their lifetime before they expire, and never more than a minute before', async () => {
    const leads = async (seconds: number): Promise<string[]> => {
      server.clientTokenSeconds = seconds;
      await tokensOf(first).accessToken(WORKSPACE, { ...credentials, parameters: { seconds: String(seconds) } });
      const lead = `select round(extract(epoch from expires_at - renew_at))::text as row from oauth_tokens order by updated_at desc limit 1`;
      return (await query(lead)).map(({ row }) => row);
    };
    expect(await leads(100)).toEqual(['10']);
    expect(await leads(3_600)).toEqual(['60']);
  });

  it('are renewed once if both processes report the same token as rejected', async () => {
    const refused = await tokensOf(first).accessToken(WORKSPACE, credentials);
    await server.expireAccess();
    const renewals = [first, second, first].map((app) => tokensOf(app).accessToken(WORKSPACE, credentials, refused));
    const tokens = new Set((await Promise.all(renewals)).map(({ token }) => token));
    expect(tokens.size).toBe(1);
    expect(tokens).not.toContain(refused.token);
    expect(server.grants).toEqual([ISSUED, ISSUED]);
  });

  it('are still used if the token server fails shortly before they expire', async () => {
    const present = await tokensOf(first).accessToken(WORKSPACE, credentials);
    await query(`update oauth_tokens set renew_at = clock_timestamp()`);
    await server.stop();
    expect(await tokensOf(second).accessToken(WORKSPACE, credentials)).toEqual(present);
    server = await OauthServer.start('http://127.0.0.1/callback');
  });

  it('are not issued to a client with a wrong secret', async () => {
    const asked = tokensOf(first).accessToken(WORKSPACE, { ...credentials, clientSecret: 'wrong' });
    await expect(asked).rejects.toMatchObject({
      name: 'TokenRefused',
      message: expect.stringContaining('invalid_client'),
    });
  });

  it.each(['basic', 'post'] as const)('are requested with authentication %s', async (clientAuthentication) => {
    const asked: string[] = [];
    const endpoint = createServer((request, response) => {
      request.setEncoding('utf8');
      request.on('data', (body: string) => asked.push(request.headers.authorization ?? 'no header', body));
      request.on('end', () => response.end('{"access_token":"t"}'));
    });
    await once(endpoint.listen(0, '127.0.0.1'), 'listening');
    const tokenUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    const parameters = { audience: 'shop' };
    const client = { clientId: 'a', clientSecret: 's3cret', scopes: ['x', 'y'], parameters, clientAuthentication };
    expect((await tokensOf(first).accessToken(WORKSPACE, { tokenUrl, ...client })).token).toBe('t');
    const basic = ['Basic YTpzM2NyZXQ=', 'audience=shop&scope=x+y&grant_type=client_credentials'];
    const post = [
      'no header',
      'audience=shop&scope=x+y&grant_type=client_credentials&client_id=a&client_secret=s3cret',
    ];
    expect(asked).toEqual({ basic, post }[clientAuthentication]);
    endpoint.closeAllConnections();
    endpoint.close();
    await once(endpoint, 'close');
  });

  it.each(['basic', 'post'] as const)('are not in the error of a server that repeats them (%s)', async (way) => {
    const [secret, issued, other] = ['a-secret:with/odd+characters', 'issued-token-1', 'secret-audience'];
    const endpoint = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64'), other, issued];
        const why = [request.headers.authorization ?? '', ...forms, body].join(' ');
        const answer = { error: `refused ${secret}`, error_description: why.slice(0, 290), access_token: issued };
        response.writeHead(400).end(JSON.stringify(answer));
      });
    });
    await once(endpoint.listen(0, '127.0.0.1'), 'listening');
    const tokenUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    const client = { clientId: 'a', clientSecret: secret, scopes: ['x'], parameters: { audience: other } };
    const asked = tokensOf(first).accessToken(WORKSPACE, { tokenUrl, ...client, clientAuthentication: way });
    const error = await asked.catch((refused: unknown) => refused);
    const text = error instanceof Error ? error.message : '';
    expect(text).toContain('responded with the error refused [redacted]');
    for (const part of [secret, encodeURIComponent(secret), 'YS1zZWNyZXQ', 'odd%2Bcharacters', other, issued])
      expect(text).not.toContain(part);
    endpoint.closeAllConnections();
    endpoint.close();
    await once(endpoint, 'close');
  });

  it('are renewed by another process if the process that renewed them was lost', async () => {
    await tokensOf(first).accessToken(WORKSPACE, credentials);
    const lost = `update oauth_tokens set expires_at = clock_timestamp(), renew_at = clock_timestamp(), leased_until = clock_timestamp() + interval '1 second'`;
    await query(lost);
    await tokensOf(second).accessToken(WORKSPACE, credentials);
    expect(server.grants).toEqual([ISSUED, ISSUED]);
  });

  it('are not readable in the database, and belong to one workspace and one set of credentials', async () => {
    const { token } = await tokensOf(first).accessToken(WORKSPACE, credentials);
    const rows = await query(
      `select encode(tokens, 'escape') || key as row from oauth_tokens where tokens is not null`,
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(CLIENT.secret);
    expect((await tokensOf(first).accessToken('wsp_2', credentials)).token).not.toBe(token);
    expect((await tokensOf(first).accessToken(WORKSPACE, { ...credentials, scopes: [] })).token).not.toBe(token);
  });
});
