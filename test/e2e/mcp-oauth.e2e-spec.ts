import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '@app/kernel';
import type { ConsoleClient } from '../support/console-client.js';
import { eventually } from '../support/eventually.js';
import type { ApiAnswer } from '../support/http-api.js';
import {
  OauthState,
  PUBLIC_URL,
  RawOauthClient,
  REDIRECT,
  signedIn,
  signInAgain,
  throughProxy,
} from '../support/mcp-oauth-client.js';
import { DOCUMENTS_CERTIFICATE, MetadataDocuments } from '../support/metadata-documents.js';
import { type LoneScene, Scene } from '../support/scene.js';

const MODERN = '2026-07-28';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe('OAuth for MCP clients', () => {
  let scene: LoneScene;
  let documents: MetadataDocuments;
  let operator: ConsoleClient;
  let builder: ConsoleClient;
  let clientId: string;
  let echo: string;
  let other: string;

  beforeAll(async () => {
    documents = await MetadataDocuments.start();
    scene = await Scene.alone({
      why: 'OAuth is on, and PUBLIC_URL is https',
      env: {
        MCP_OAUTH: 'on',
        MCP_DCR: 'on',
        PUBLIC_URL,
        EGRESS_ALLOW: '127.0.0.0/8,::1/128',
        RATE_LIMIT_SIGN_IN: '0',
        NODE_EXTRA_CA_CERTS: DOCUMENTS_CERTIFICATE,
      },
    });
    const agent = (name: string): JsonObject => ({
      name,
      description: 'Answers with its input.',
      input: { type: 'object', properties: { word: { type: 'string' } } },
      expose: { mcp: {} },
      steps: [{ id: 'result', output: '${{ input }}' }],
    });
    echo = await scene.stack.client.createAgent(agent('echo'));
    other = await scene.stack.client.createAgent(agent('other'));
    operator = await signedIn(scene.stack, 'olga@example.com', 'operator');
    builder = await signedIn(scene.stack, 'bob@example.com', 'builder');
    clientId = (await registered('Tester')).client_id;
  });
  afterAll(async () => {
    await scene.stop();
    await documents.stop();
  });

  const api = <Body>(method: string, path: string, body?: JsonObject): Promise<Body> =>
    scene.stack.client.expect<Body>(method, path, body);
  const registered = (name: string, uris = [REDIRECT]): Promise<{ client_id: string }> =>
    api('POST', '/v1/oauth-clients', { name, redirect_uris: uris });
  const raw = (resource?: string, id = clientId): RawOauthClient => new RawOauthClient(scene.stack, id, resource);
  const mcpKeys = async (): Promise<{ id: string; [further: string]: unknown }[]> => {
    const { data } = await api<{ data: { id: string; kind: string }[] }>('GET', '/v1/api-keys?limit=100');
    return data.filter(({ kind }) => kind === 'mcp');
  };
  const errorAt = ({ status, headers }: ApiAnswer): unknown => {
    const target = new URL(headers.get('location') ?? 'about:blank');
    const { error, iss, state, code } = Object.fromEntries(target.searchParams) as Record<string, string | undefined>;
    return { status, at: `${target.origin}${target.pathname}`, error, iss, state, code };
  };
  const withTokens = async (client: RawOauthClient, person = operator, agents: string[] | null = null) => {
    const answer = await client.redeem(await client.permitted(person, agents));
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as Tokens;
  };
  const namesOf = ({ body }: ApiAnswer): string[] =>
    (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

  it('is found from the 401 of an address', async () => {
    const { status, headers } = await raw().listTools('nonsense');
    expect(status).toBe(401);
    const metadata = `${PUBLIC_URL}/.well-known/oauth-protected-resource/v1/mcp`;
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
    expect(await api('GET', '/.well-known/oauth-protected-resource/v1/mcp')).toEqual({
      resource: `${PUBLIC_URL}/v1/mcp`,
      authorization_servers: [PUBLIC_URL],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp'],
    });
    expect(await api('GET', '/.well-known/oauth-protected-resource/v1/mcp/author')).toMatchObject({
      resource: `${PUBLIC_URL}/v1/mcp/author`,
      scopes_supported: ['mcp:author'],
    });
    expect(await api('GET', '/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/auth/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/auth/oauth/token`,
      registration_endpoint: `${PUBLIC_URL}/auth/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('gives the official client access from its metadata document to the call of a tool', async () => {
    const documentUrl = documents.serve('/client.json', { client_name: 'Assistant', redirect_uris: [REDIRECT] });
    const authProvider = new OauthState({ documentUrl });
    const fetchFn = throughProxy(scene.stack);
    const serverUrl = new URL(`${PUBLIC_URL}/v1/mcp`);
    expect(await auth(authProvider, { serverUrl, fetchFn })).toBe('REDIRECT');
    const asked = await fetchFn(authProvider.asked!, { redirect: 'manual' });
    expect(asked.status).toBe(303);
    const page = new URL(asked.headers.get('location') ?? '', PUBLIC_URL);
    expect(page.pathname).toBe('/console/consent');
    const id = page.searchParams.get('request') ?? '';
    const request = await operator.call('GET', `/auth/oauth/requests/${id}`);
    expect(request.body).toMatchObject({
      client: { id: documentUrl, name: 'Assistant', host: documents.host },
      redirect_host: '127.0.0.1:4711',
      resource: `${PUBLIC_URL}/v1/mcp`,
      agents: [
        { id: echo, name: 'echo' },
        { id: other, name: 'other' },
      ],
      may_author: false,
    });
    const decided = await operator.call('POST', `/auth/oauth/requests/${id}`, { decision: 'allow', agents: [echo] });
    const { searchParams } = new URL((decided.body as { redirect_to: string }).redirect_to);
    expect(searchParams.get('state')).toBe('the state');

    const transport = new StreamableHTTPClientTransport(serverUrl, { authProvider, fetch: fetchFn });
    await transport.finishAuth(searchParams);
    const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
    await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider, fetch: fetchFn }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['cancel_run', 'echo', 'get_run']);
    const called = await client.callTool({ name: 'echo', arguments: { word: 'hello' } });
    expect(called).toMatchObject({ structuredContent: { status: 'succeeded', output: { word: 'hello' } } });
    await client.close();

    const before = authProvider.stored!;
    expect(await auth(authProvider, { serverUrl, fetchFn })).toBe('AUTHORIZED');
    expect(authProvider.stored!.access_token).not.toBe(before.access_token);
    expect(authProvider.stored!.refresh_token).not.toBe(before.refresh_token);
    const [key] = (await mcpKeys()).filter(({ name }) => name === documents.host);
    expect(key).toMatchObject({ kind: 'mcp', role: 'operator', member: 'olga@example.com', agents: [echo] });
    await eventually(async () => {
      expect(await api('GET', `/v1/api-keys/${key!.id}`)).toMatchObject({ last_used_at: expect.any(String) });
    });
  });

  describe('refuses', () => {
    it('unknown clients and redirect addresses without a redirect', async () => {
      for (const changed of [
        { client_id: 'mcl_01kahzvk3te9d8q6f0f1v3m2sx' },
        { client_id: undefined },
        { client_id: 'https://localhost:1/client.json' },
        { client_id: 'http://127.0.0.1/client.json' },
        { redirect_uri: 'https://elsewhere.example/callback' },
        { redirect_uri: undefined },
      ]) {
        const answer = await raw().authorize(changed);
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
        expect(answer.headers.get('location')).toBeNull();
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
    });

    it.each([
      ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['no method of the challenge', { code_challenge_method: undefined }, 'invalid_request'],
      ['no resource', { resource: undefined }, 'invalid_target'],
      ['another resource', { resource: 'https://other.example/v1/mcp' }, 'invalid_target'],
      ['another address of the service', { resource: `${PUBLIC_URL}/v1/runs` }, 'invalid_target'],
      ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
      ['a mixed response type', { response_type: 'code token' }, 'unsupported_response_type'],
    ])('%s with a redirect to the client', async (_, changed, error) => {
      const answer = await raw().authorize(changed);
      expect(errorAt(answer)).toEqual({ status: 303, at: REDIRECT, error, iss: PUBLIC_URL, state: 'a state' });
    });

    it('metadata documents that break a rule', async () => {
      const good = { client_name: 'Assistant', redirect_uris: [REDIRECT] };
      const target = documents.serve('/target.json', good);
      for (const [n, [changed, answer]] of (
        [
          [{ client_id: 'https://other.example/client.json' }, {}],
          [{ redirect_uris: [] }, {}],
          [{ redirect_uris: undefined }, {}],
          [{ redirect_uris: [REDIRECT, 'http://elsewhere.example/'] }, {}],
          [{ client_secret: 'a secret' }, {}],
          [{ token_endpoint_auth_method: 'client_secret_basic' }, {}],
          [{ client_uri: 'x'.repeat(5 * 1024) }, {}],
          [{}, { status: 302, headers: { location: target } }],
          [{}, { status: 404 }],
        ] as [object, object][]
      ).entries()) {
        const url = documents.serve(`/bad-${n}.json`, { ...good, ...changed }, answer);
        expect(await raw(undefined, url).authorize()).toMatchObject({ status: 400 });
      }
      expect(documents.requests).not.toContain('/target.json');
      for (let n = 0; n < 2; n++) expect((await raw(undefined, target).authorize()).status).toBe(303);
      expect(documents.requests.filter((path) => path === '/target.json')).toHaveLength(1);
    });

    it('a decision of someone without a recent sign-in of their own', async () => {
      const id = await raw().ask();
      const path = `/auth/oauth/requests/${id}`;
      const withKey = await scene.stack.client.call('GET', path);
      expect(withKey).toMatchObject({ status: 403, body: { code: 'sign_in_again' } });
      await operator.call('GET', path);
      expect(await builder.call('GET', path)).toMatchObject({ status: 404 });
      expect(await builder.call('POST', path, { decision: 'deny', agents: null })).toMatchObject({ status: 404 });
      const bad = { decision: 'allow', agents: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'] };
      expect(await operator.call('POST', path, bad)).toMatchObject({
        body: { code: 'unknown_reference', errors: [{ pointer: '/agents/0' }] },
      });
      const denied = await operator.call('POST', path, { decision: 'deny', agents: null });
      const { searchParams } = new URL((denied.body as { redirect_to: string }).redirect_to);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'access_denied',
        iss: PUBLIC_URL,
        state: 'a state',
      });
      expect(await operator.call('POST', path, { decision: 'deny', agents: null })).toMatchObject({ status: 404 });
    });

    it('a decision after an old sign-in, until the person signs in again', async () => {
      const person = await signedIn(scene.stack, 'sam@example.com', 'operator');
      const path = `/auth/oauth/requests/${await raw().ask()}`;
      expect((await person.call('GET', path)).status).toBe(200);
      const [member] = await scene.stack.query<{ id: string }>(
        `with aged as (update sessions s set signed_in_at = s.signed_in_at - interval '11 minutes' from members m
           where m.id = s.member_id and m.email = 'sam@example.com')
         select id from members where email = 'sam@example.com'`,
      );
      const unknown = { decision: 'allow', agents: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'] };
      await eventually(async () => {
        expect((await person.call('POST', path, unknown)).body).toMatchObject({ code: 'sign_in_again' });
      });
      await signInAgain(scene.stack, person, member!.id);
      expect(await person.call('POST', path, { decision: 'allow', agents: null })).toMatchObject({ status: 200 });
    });

    it('codes and refresh tokens that are wrong', async () => {
      const client = raw();
      const code = await client.permitted(operator);
      const wrong = async (changed: Record<string, string | undefined>): Promise<unknown> => {
        const { status, body } = await client.redeem(code, changed);
        return { status, error: (body as { error: string }).error };
      };
      expect(await wrong({ resource: undefined })).toEqual({ status: 400, error: 'invalid_target' });
      expect(await wrong({ resource: `${PUBLIC_URL}/v1/mcp/author` })).toEqual({
        status: 400,
        error: 'invalid_target',
      });
      expect(await wrong({ code_verifier: undefined })).toMatchObject({ status: 400 });
      expect(await wrong({ code_verifier: 'x'.repeat(43) })).toEqual({ status: 400, error: 'invalid_grant' });
      expect(await wrong({ redirect_uri: 'http://127.0.0.1:4711/' })).toEqual({ status: 400, error: 'invalid_grant' });
      expect(await wrong({ grant_type: 'password' })).toEqual({ status: 400, error: 'unsupported_grant_type' });
      expect(await wrong({ client_id: 'unknown' })).toEqual({ status: 401, error: 'invalid_client' });
      const tokens = (await client.redeem(code)).body as Tokens;
      expect(await client.refresh(tokens.refresh_token, { resource: undefined })).toMatchObject({
        status: 400,
        body: { error: 'invalid_target' },
      });
      expect(await client.refresh(tokens.refresh_token)).toMatchObject({ status: 200 });
      expect(await client.refresh('unknown')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    });

    it('a token at any other address', async () => {
      const client = raw();
      const { access_token: token } = await withTokens(client);
      expect((await client.listTools(token)).status).toBe(200);
      expect(await client.listTools(token, '/v1/mcp/author')).toMatchObject({
        status: 401,
        body: { code: 'invalid_api_key' },
      });
      for (const path of ['/v1/me', '/v1/runs', '/v1/agents', '/v1/api-keys']) {
        const headers = { Authorization: `Bearer ${token}` };
        const { status, body } = await operator.call('GET', path, undefined, headers);
        expect({ status, code: (body as { code: string }).code }).toEqual({ status: 401, code: 'invalid_api_key' });
      }
    });

    it('the address for authoring to people who do not build', async () => {
      const resource = `${PUBLIC_URL}/v1/mcp/author`;
      const path = `/auth/oauth/requests/${await raw(resource).ask()}`;
      expect((await operator.call('GET', path)).body).toMatchObject({ resource, may_author: false });
      expect(await operator.call('POST', path, { decision: 'allow', agents: null })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
      const client = raw(resource);
      const { access_token: token } = await withTokens(client, builder);
      expect(namesOf(await client.listTools(token, '/v1/mcp/author'))).toContain('create_version');
      expect((await client.listTools(token)).status).toBe(401);
    });
  });

  describe('ends', () => {
    it('when a refresh token is used twice', async () => {
      const client = raw();
      const first = await withTokens(client);
      const second = (await client.refresh(first.refresh_token)).body as Tokens;
      expect((await client.listTools(second.access_token)).status).toBe(200);
      expect(await client.refresh(first.refresh_token)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
      expect(await client.refresh(second.refresh_token)).toMatchObject({ status: 400 });
      expect((await client.listTools(second.access_token)).status).toBe(401);
    });

    it('when one of two concurrent uses of a refresh token comes second', async () => {
      const client = raw();
      const { refresh_token: token } = await withTokens(client);
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.refresh(token)));
      const issued = answers.filter(({ status }) => status === 200).map(({ body }) => body as Tokens);
      expect(issued.length).toBeLessThanOrEqual(1);
      for (const { refresh_token: late } of issued) expect((await client.refresh(late)).status).toBe(400);
    });

    it('when the client revokes a token, and says the same of any token', async () => {
      const client = raw();
      const tokens = await withTokens(client);
      expect(await client.revoke('unknown')).toMatchObject({ status: 200, body: '' });
      const stranger = raw(undefined, (await registered('Stranger')).client_id);
      expect(await stranger.revoke(tokens.refresh_token)).toMatchObject({ status: 200, body: '' });
      expect((await client.listTools(tokens.access_token)).status).toBe(200);
      expect(await client.revoke(tokens.refresh_token)).toMatchObject({ status: 200, body: '' });
      expect((await client.listTools(tokens.access_token)).status).toBe(401);
    });

    it('when an admin deletes the key, or the client', async () => {
      const { client_id: id } = await registered('Leaving');
      const client = raw(undefined, id);
      const known = new Set((await mcpKeys()).map((key) => key.id));
      const tokens = await withTokens(client);
      const [key] = (await mcpKeys()).filter((each) => !known.has(each.id));
      const rotated = await scene.stack.client.call('POST', `/v1/api-keys/${key!.id}/rotate`, {});
      expect(rotated).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      await api('DELETE', `/v1/api-keys/${key!.id}`);
      expect((await client.listTools(tokens.access_token)).status).toBe(401);
      expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
      const again = await withTokens(client);
      await api('DELETE', `/v1/oauth-clients/${id}`);
      expect((await client.listTools(again.access_token)).status).toBe(401);
      expect((await client.authorize()).status).toBe(400);
    });

    it('with a weaker role of the member, and with the member', async () => {
      const person = await signedIn(scene.stack, 'mia@example.com', 'builder');
      const { data } = await api<{ data: { id: string; email: string }[] }>('GET', '/v1/members?limit=100');
      const { id } = data.find(({ email }) => email === 'mia@example.com')!;
      const client = raw();
      const work = await withTokens(client, person);
      await api('PATCH', `/v1/members/${id}`, { role: 'operator' });
      expect((await client.listTools(work.access_token)).status).toBe(401);
      const back = await signedIn(scene.stack, 'mia@example.com', 'operator');
      const again = await withTokens(client, back);
      await api('PATCH', `/v1/members/${id}`, { role: 'builder' });
      expect((await client.listTools(again.access_token)).status).toBe(200);
      await api('DELETE', `/v1/members/${id}`);
      expect((await client.listTools(again.access_token)).status).toBe(401);
      expect((await client.refresh(again.refresh_token)).status).toBe(400);
    });
  });

  it('narrows the access to the chosen agents', async () => {
    const client = raw();
    const { access_token: narrow } = await withTokens(client, operator, [other]);
    expect(namesOf(await client.listTools(narrow))).toEqual(['cancel_run', 'get_run', 'other']);
    const { access_token: wide } = await withTokens(client);
    expect(namesOf(await client.listTools(wide))).toEqual(['cancel_run', 'echo', 'get_run', 'other']);
  });

  it('lets a client on the computer of the person choose its port', async () => {
    const url = documents.serve('/native.json', { redirect_uris: ['http://localhost/callback'] });
    const answer = await raw(undefined, url).authorize({ redirect_uri: 'http://localhost:53999/callback' });
    expect(answer.headers.get('location')).toMatch(/^\/console\/consent\?request=/);
  });

  it('registers clients that have no document', async () => {
    const register = (body: object): Promise<Response> =>
      throughProxy(scene.stack)(`${PUBLIC_URL}/auth/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const answer = await register({ client_name: 'Self', redirect_uris: [REDIRECT], logo_uri: 'https://x.example/' });
    expect(answer.status).toBe(201);
    const { client_id: id } = (await answer.json()) as { client_id: string };
    const client = raw(undefined, id);
    expect((await client.listTools((await withTokens(client)).access_token)).status).toBe(200);
    expect((await register({ redirect_uris: ['http://elsewhere.example/'] })).status).toBe(400);
    const { data } = await api<{ data: { name: string }[] }>('GET', '/v1/oauth-clients');
    expect(data.map(({ name }) => name)).not.toContain('Self');
  });

  it('keeps API keys working', async () => {
    expect(namesOf(await raw().listTools(scene.stack.adminKey))).toContain('echo');
  });
});
