import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { PrintedLinksService } from '@app/workspace';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, TestTenant } from '../support/http-api.js';
import { ConsoleClient } from '../support/console-client.js';
import { OIDC_CLIENT, OidcServer, signedBy, unsigned } from '../support/oidc-server.js';

const PUBLIC_URL = 'http://aas.test';
const CALLBACK = `${PUBLIC_URL}/auth/oidc/callback`;

describe('single sign-on', () => {
  let provider: OidcServer;
  let api: TestApi;
  let tenant: TestTenant;
  let name: string;
  let email: string;
  const apis: TestApi[] = [];

  const envOf = (server: OidcServer, more: Record<string, string> = {}) => ({
    RATE_LIMIT_SIGN_IN: '0',
    PUBLIC_URL,
    OIDC_ISSUER: server.url,
    OIDC_CLIENT_ID: OIDC_CLIENT.id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    ...more,
  });
  /** Starts another API on the same database. */
  const anApi = async (more: Record<string, string>, server = provider): Promise<TestApi> => {
    const other = await startApi({ databaseUrl: api.databaseUrl, env: envOf(server, more) });
    apis.push(other);
    return other;
  };

  beforeAll(async () => {
    provider = await OidcServer.start(CALLBACK);
    api = await startApi({ env: envOf(provider) });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
    name = randomBytes(4).toString('hex');
    email = `${name}@example.com`;
    await invite(email);
  });
  afterEach(() => Promise.all(apis.splice(0).map((each) => each.close())));
  afterAll(async () => {
    await api.close();
    await provider.stop();
  });

  const invite = (address: string, role = 'operator') =>
    api.call('POST', '/v1/members', { key: tenant.adminKey, body: { email: address, role } });
  const memberOf = async (address: string): Promise<Record<string, string>> =>
    (await api.call('GET', '/v1/members', { key: tenant.adminKey })).body.data.find(
      (each: { email: string }) => each.email === address,
    );
  const verified = (address: string) => ({ email: address, email_verified: true });

  interface Options {
    at?: TestApi;
    server?: OidcServer;
    returnTo?: string;
    change?: (authorization: URL) => void;
  }

  /**
   * Signs in a person who has an account at the provider. Returns the browser, and the response to the redirect back to
   * the service.
   */
  async function signIn(sub: string, { at = api, server = provider, returnTo, change }: Options = {}) {
    const page = new ConsoleClient(at);
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
    const begun = await page.call('GET', `/auth/oidc${query}`);
    expect(begun.status).toBe(302);
    const authorization = new URL(begun.headers.get('location') ?? '');
    change?.(authorization);
    const back = await server.open(authorization.href, sub);
    expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
    const path = `${back.pathname}${back.search}`;
    const cookies = page.cookieHeader;
    return { page, path, cookies, answer: await page.call('GET', path) };
  }
  const goesTo = ({ status, headers }: ApiAnswer) => `${status} ${headers.get('location')}`;
  const signedIn = async (sub: string, options: Options = {}): Promise<ApiAnswer['body']> => {
    const { page, answer } = await signIn(sub, options);
    expect(goesTo(answer)).toBe('303 /console/');
    return (await page.call('GET', '/v1/me')).body;
  };
  const refused = async (sub: string, options: Options = {}): Promise<string> => {
    const { page, answer } = await signIn(sub, options);
    expect((await page.call('GET', '/v1/me')).status).toBe(401);
    return goesTo(answer);
  };
  const NOT_INVITED = '303 /console/sign-in?error=not_invited';
  const INVALID = '303 /console/sign-in?error=invalid_sign_in';

  it('signs in an invited member by a verified address, and goes to the page in the console', async () => {
    provider.people.set(name, verified(email.toUpperCase()));
    expect(await signedIn(name)).toMatchObject({ member: email, role: 'operator', session: { method: 'oidc' } });
    const { answer } = await signIn(name, { returnTo: '/console/runs?status=failed' });
    expect(goesTo(answer)).toBe('303 /console/runs?status=failed');
    const foreign = await signIn(name, { returnTo: 'https://example.com/' });
    expect(goesTo(foreign.answer)).toBe('303 /console/');
    const { body } = await api.call('GET', '/v1/audit-events?action=session.began', { key: tenant.adminKey });
    expect(body.data[0]).toMatchObject({ actor: email, detail: { method: 'oidc' } });
  });

  it('refuses an address that the provider has not verified, and records it', async () => {
    for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: 'true' }]) {
      provider.people.set(name, claims);
      expect(await refused(name)).toBe(NOT_INVITED);
    }
    const { body } = await api.call('GET', '/v1/audit-events?action=session.refused', { key: tenant.adminKey });
    expect(body.data).toHaveLength(3);
    expect(body.data[0]).toMatchObject({ actor: email, detail: { method: 'oidc', code: 'not_invited' } });
  });

  it('trusts addresses where the operator says so', async () => {
    provider.people.set(name, { email });
    expect(await signedIn(name, { at: await anApi({ OIDC_TRUST_EMAIL: 'true' }) })).toMatchObject({ member: email });
  });

  it('takes no user name for an address', async () => {
    provider.people.set(name, { preferred_username: email, email_verified: true });
    expect(await refused(name)).toBe(NOT_INVITED);
    provider.people.set(email, { email_verified: true });
    expect(await refused(email)).toBe(NOT_INVITED);
  });

  it('keeps the member of a person whatever address they have later', async () => {
    provider.people.set(name, verified(email));
    await signedIn(name);
    provider.people.set(name, verified('admin@example.com'));
    expect(await signedIn(name)).toMatchObject({ member: email, role: 'operator' });
  });

  it('gives an address that was passed on to no other person', async () => {
    provider.people.set(name, verified(email));
    await signedIn(name);
    provider.people.set(`${name}-2`, verified(email));
    expect(await refused(`${name}-2`)).toBe(NOT_INVITED);
  });

  it('knows a person of another provider as another person', async () => {
    provider.people.set(name, verified(email));
    await signedIn(name);
    const second = await OidcServer.start(CALLBACK);
    try {
      const at = await anApi({}, second);
      second.people.set(name, { email_verified: true });
      expect(await refused(name, { at, server: second })).toBe(NOT_INVITED);
    } finally {
      await second.stop();
    }
  });

  it('refuses another nonce, another state, another browser and a second use', async () => {
    provider.people.set(name, verified(email));
    expect(await refused(name, { change: (url) => url.searchParams.set('nonce', 'another') })).toBe(INVALID);
    expect(await refused(name, { change: (url) => url.searchParams.set('state', 'another') })).toBe(INVALID);
    const { path, cookies } = await signIn(name);
    expect(goesTo(await new ConsoleClient(api).call('GET', path))).toBe(INVALID);
    const replayed = await new ConsoleClient(api).call('GET', path, undefined, { Cookie: cookies });
    expect(goesTo(replayed)).toBe(INVALID);
    expect(replayed.headers.getSetCookie().join()).not.toContain('aas_session');
    expect(goesTo(await new ConsoleClient(api).call('GET', '/auth/oidc/callback'))).toBe(INVALID);
  });

  describe('with an ID token that the provider did not sign with a published key', () => {
    afterEach(() => provider.restoreKeys());

    it('is refused', async () => {
      provider.people.set(name, verified(email));
      await signedIn(name);
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      for (const sign of [
        signedBy('RS256', privateKey),
        signedBy('RS256', privateKey, { kid: 'unknown' }),
        signedBy('HS256', OIDC_CLIENT.secret),
        unsigned,
      ]) {
        provider.changeToken = sign;
        expect(await refused(name)).toBe(INVALID);
      }
    });

    it('is accepted from the moment the provider publishes the key, and refused when it does so no longer', async () => {
      provider.people.set(name, verified(email));
      await signedIn(name);
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      provider.changeToken = signedBy('RS256', privateKey, { kid: 'next' });
      provider.publishedKeys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'next', use: 'sig', alg: 'RS256' }];
      await signedIn(name);
      provider.publishedKeys = [];
      expect(await refused(name)).toBe(INVALID);
    });
  });

  describe('with the groups of the provider', () => {
    let at: TestApi;

    beforeAll(async () => {
      const env = { OIDC_GROUPS_CLAIM: 'groups', OIDC_ROLES: 'a:b:builder,admins:admin,readers:viewer' };
      at = await startApi({ databaseUrl: api.databaseUrl, env: envOf(provider, env) });
    });
    afterAll(() => at.close());

    it('sets the role and the groups at each sign-in where it has the groups', async () => {
      for (const group of ['finance', 'legal', 'a:b']) {
        const members = group === 'legal' ? [email] : [];
        await api.call('POST', '/v1/groups', { key: tenant.adminKey, body: { name: group, members } });
      }
      const groupsOf = async () =>
        (await api.call('GET', '/v1/groups', { key: tenant.adminKey })).body.data
          .filter(({ members }: { members: string[] }) => members.includes(email))
          .map((group: { name: string }) => group.name)
          .sort();
      const withGroups = async (groups?: unknown) => {
        provider.people.set(name, { ...verified(email), ...(groups !== undefined && { groups }) });
        return (await signedIn(name, { at })).role;
      };
      expect(await withGroups()).toBe('operator');
      expect(await groupsOf()).toEqual(['legal']);
      expect(await withGroups(['readers', 'a:b', 'finance', 'unknown', 7])).toBe('builder');
      expect(await groupsOf()).toEqual(['a:b', 'finance']);
      expect(await withGroups('finance')).toBe('viewer');
      expect(await groupsOf()).toEqual(['finance']);
      expect(await withGroups(['admins'])).toBe('admin');
      expect(await withGroups([])).toBe('viewer');
      expect(await groupsOf()).toEqual([]);
      expect(await memberOf(email)).toMatchObject({ role: 'viewer' });
    });

    it('sets the role and the groups in all workspaces of the person at each sign-in', async () => {
      const other = await api.newTenant();
      const elsewhere = (method: string, path: string, body?: unknown) =>
        api.call(method, path, { key: other.adminKey, ...(body !== undefined && { body }) });
      await elsewhere('POST', '/v1/members', { email, role: 'viewer' });
      await elsewhere('POST', '/v1/groups', { name: 'finance', members: [] });
      const withGroups = (groups: string[]) => {
        provider.people.set(name, { ...verified(email), groups });
        return signIn(name, { at });
      };
      const there = async () => {
        const [members, groups] = [await elsewhere('GET', '/v1/members'), await elsewhere('GET', '/v1/groups')];
        const { role } = members.body.data.find((each: { email: string }) => each.email === email);
        return [role, groups.body.data[0].members];
      };
      const { page: open } = await withGroups(['admins', 'finance']);
      expect(await there()).toEqual(['admin', [email]]);
      const switched = await open.call('POST', '/v1/sessions/switch', { workspace: other.workspaceId });
      expect(switched.body).toMatchObject({ role: 'admin', workspace: { id: other.workspaceId } });
      // The next sign-in is in the workspace of the key, which the person used last.
      await api.execute(
        `update members set last_used_at = clock_timestamp() where workspace_id = '${tenant.workspaceId}'`,
      );
      const { page } = await withGroups([]);
      expect((await page.call('GET', '/v1/me')).body).toMatchObject({
        role: 'viewer',
        workspace: { id: tenant.workspaceId },
      });
      expect(await there()).toEqual(['viewer', []]);
      expect((await open.call('GET', '/v1/me')).body.code).toBe('invalid_session');
      const again = await page.call('POST', '/v1/sessions/switch', { workspace: other.workspaceId });
      expect(again.body).toMatchObject({ role: 'viewer', workspace: { id: other.workspaceId } });
      const audit = await elsewhere('GET', '/v1/audit-events?action=member.update');
      expect(audit.body.data[0]).toMatchObject({
        actor: email,
        detail: { role: 'viewer', before: 'admin', groups: [] },
      });
    });

    it('leaves a workspace its last admin', async () => {
      const boss = `${name}-boss@example.com`;
      await invite(boss, 'admin');
      const first = await memberOf('admin@example.com');
      const key = (
        await api.call('POST', '/v1/api-keys', {
          key: tenant.adminKey,
          body: { name: 'k', kind: 'live', role: 'admin', member: boss },
        })
      ).body.key;
      await api.call('DELETE', `/v1/members/${first.id}`, { key });
      provider.people.set(boss, { ...verified(boss), groups: [] });
      expect(await signedIn(boss, { at })).toMatchObject({ role: 'admin' });
    });
  });

  it('makes members of the people of a domain, without its subdomains', async () => {
    const at = await anApi({ OIDC_PROVISIONING: 'domain:example.org', OIDC_WORKSPACE: tenant.workspaceId });
    provider.people.set(`${name}-1`, verified(`${name}@example.org`));
    expect(await signedIn(`${name}-1`, { at })).toMatchObject({
      member: `${name}@example.org`,
      role: 'viewer',
      workspace: { id: tenant.workspaceId },
    });
    for (const address of [`${name}@sub.example.org`, `${name}@notexample.org`, `${name}@example.org.evil.com`]) {
      provider.people.set(address, verified(address));
      expect(await refused(address, { at })).toBe(NOT_INVITED);
    }
    provider.people.set(`${name}-3`, { email: `${name}-3@example.org` });
    expect(await refused(`${name}-3`, { at })).toBe(NOT_INVITED);
  });

  it('is the only way where the operator says so, except for the printed link', async () => {
    const at = await anApi({ SIGN_IN: 'oidc' });
    expect((await at.call('GET', '/auth/methods')).body).toEqual({ methods: ['oidc'] });
    const member = await memberOf(email);
    const path = `/v1/members/${member.id}/invitations`;
    const before = (await api.call('POST', path, { key: tenant.adminKey })).body;
    for (const [way, body] of [
      ['key', { api_key: tenant.adminKey }],
      ['email', { email }],
      ['email/verify', { email, code: '123456' }],
      ['link', { token: before.url.split('#')[1] }],
    ] as const) {
      const answer = await new ConsoleClient(at).call('POST', `/auth/${way}`, body);
      expect([way, answer.status, answer.body.code]).toEqual([way, 403, 'sign_in_off']);
    }
    const invitation = await at.call('POST', path, { key: tenant.adminKey });
    expect(invitation.body.url).toBe(`${PUBLIC_URL}/console/sign-in`);
    const { token } = await at.app.get(PrintedLinksService, { strict: false }).createFor(email);
    expect((await new ConsoleClient(at).call('POST', '/auth/link', { token })).status).toBe(200);
  });

  it('switches to workspaces with the same address', async () => {
    provider.people.set(name, verified(email));
    const { page } = await signIn(name);
    const other = await api.newTenant();
    await api.call('POST', '/v1/members', { key: other.adminKey, body: { email, role: 'viewer' } });
    const switched = await page.call('POST', '/v1/sessions/switch', { workspace: other.workspaceId });
    expect(switched).toMatchObject({ status: 200, body: { role: 'viewer', session: { method: 'oidc' } } });
    expect((await signedIn(name)).workspace.id).toBe(other.workspaceId);
  });

  it('says on the sign-in page that the provider is away', async () => {
    const gone = await OidcServer.start(CALLBACK);
    const at = await anApi({}, gone);
    await gone.stop();
    const answer = await new ConsoleClient(at).call('GET', '/auth/oidc');
    expect(goesTo(answer)).toBe('303 /console/sign-in?error=unavailable');
  });
});
