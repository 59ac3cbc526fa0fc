import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { Browser } from '../support/browser.js';
import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { OauthServer } from '../support/oauth-server.js';
import { aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';
import type { SharedStack } from '../support/shared-stack.js';

interface ConnectionAnswer extends JsonObject {
  id: string;
  name: string;
  status: string;
  agents: string[];
  last_used_at: string | null;
  error: { code: string; message: string } | null;
}

type Created = ConnectionAnswer & { authorize_url: string };

/** The API, the workers and the OAuth server are real. A test browser follows the redirects. */
describe('connections', () => {
  let server: OauthServer;
  let scene: Scene;
  let stack: SharedStack;
  let serial = 0;

  beforeAll(async () => {
    scene = await Scene.start();
    stack = scene.stack;
    server = await OauthServer.startFor(stack);
    server.json('/notes', () => ({ notes: ['one'] }));
  });
  beforeEach(() => {
    server.asked.length = 0;
    server.grants.length = 0;
    server.revocations.length = 0;
  });
  afterAll(async () => {
    await scene.stop();
    await server.stop();
  });

  const browser = () => new Browser();
  const call = <Body>(method: string, path: string, body?: JsonObject) =>
    stack.client.call<Body>(method, `/v1${path}`, body);
  const get = async (id: string) => (await call<ConnectionAnswer>('GET', `/connections/${id}`)).body;
  const create = async (more: JsonObject = {}) =>
    (await call<Created>('POST', '/connections', { name: `wiki-${++serial}`, provider: 'wiki', ...more })).body;

  async function active(more: JsonObject = {}): Promise<ConnectionAnswer> {
    const { id, authorize_url } = await create(more);
    const page = await browser().open(authorize_url);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`<code>${id}</code>`) });
    return get(id);
  }

  const definition = (name: string, connection: string): JsonObject => ({
    name,
    tools: [
      {
        name: 'wiki',
        type: 'http',
        base_url: `${server.url}/api`,
        auth: { type: 'oauth2', connection },
        operations: [{ name: 'notes', method: 'GET', path: '/notes' }],
      },
    ],
    steps: [
      { id: 'read', tool: 'wiki.notes', with: {} },
      { id: 'end', output: '${{ steps.read.output }}' },
    ],
  });
  const anAgent = (connection: string, name = `reader-${++serial}`) =>
    stack.client.expect<{ id: string; name: string; warnings: JsonObject[] }>(
      'POST',
      '/v1/agents',
      definition(name, connection),
    );

  async function run(agent: string): Promise<RunAnswer> {
    const { id } = await stack.client.startRun(agent);
    return eventually(async () => {
      const ended = await stack.client.run(id);
      expect(ended.ended_at).not.toBeNull();
      return ended;
    });
  }

  const stateOf = (address: string) => new URL(address).searchParams.get('state') ?? '';

  it('are created, listed, granted and deleted', async () => {
    const agent = await anAgent('crm');
    const made = await call<Created>('POST', '/connections', {
      name: 'crm',
      provider: 'wiki',
      scopes: ['read'],
      agents: [agent.id, 'name:later'],
    });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/v1/connections/${made.body.id}`);
    const { authorize_url, ...shown } = made.body;
    const address = `${stack.baseUrl}/v1/oauth/authorize?state=`;
    expect([authorize_url.slice(0, address.length), authorize_url.slice(address.length)]).toEqual([
      address,
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    expect(shown).toEqual({
      id: expect.stringMatching(/^con_\w{26}$/),
      name: 'crm',
      provider: 'wiki',
      scopes: ['read'],
      status: 'pending',
      account: null,
      agents: [agent.id, 'name:later'],
      authorized_by: null,
      authorized_at: null,
      last_used_at: null,
      error: null,
      created_at: expect.any(String),
    });
    expect((await call('GET', `/connections/${made.body.id}`)).body).toEqual(shown);
    expect((await call<{ data: unknown[] }>('GET', '/connections')).body.data).toContainEqual(shown);
    const changed = await call('PATCH', `/connections/${made.body.id}`, { agents: [] });
    expect(changed).toMatchObject({ status: 200, body: { ...shown, agents: [] } });
    expect((await call('DELETE', `/connections/${made.body.id}`)).status).toBe(204);
    expect((await call('GET', `/connections/${made.body.id}`)).status).toBe(404);
    expect((await call('DELETE', `/connections/${made.body.id}`)).status).toBe(404);
    const { body } = await call<{ data: { action: string; target: string }[] }>('GET', '/audit-events?limit=100');
    const actions = body.data.filter(({ target }) => target === made.body.id).map(({ action }) => action);
    expect(actions).toEqual(['connection.delete', 'connection.update', 'connection.create']);
  });

  it('are refused with a taken name, an unknown provider and unknown agents', async () => {
    const { id, name } = await create();
    const wanted = (body: JsonObject) => call('POST', '/connections', { name: 'other', provider: 'wiki', ...body });
    expect(await wanted({ name })).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    expect(await wanted({ provider: 'wikki' })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        errors: [{ pointer: '/provider', suggestion: expect.stringContaining('wiki') }],
      },
    });
    expect(await wanted({ name: ' x' })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/name' }] } });
    expect(await wanted({ scopes: ['a b'] })).toMatchObject({ status: 400 });
    const agents = ['agt_01kahzvk3te9d8q6f0f1v3m2sx', 'nobody', 'name:'];
    const errors = [0, 1, 2].map((index) => expect.objectContaining({ pointer: `/agents/${index}` }));
    for (const refused of [await wanted({ agents }), await call('PATCH', `/connections/${id}`, { agents })])
      expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_reference', errors } });
    expect((await call('PATCH', `/connections/${id}`, { name: 'new' })).status).toBe(400);
    expect(await get(id)).toMatchObject({ name, agents: [] });
  });

  it('become active when a person authorises them, and lead back to the console', async () => {
    const { id, authorize_url } = await create();
    const console = '/console/settings/connections';
    const back = await browser().open(`${authorize_url}&return_to=${encodeURIComponent(console)}`, /\/console\//);
    expect(back.url).toBe(`${stack.baseUrl}${console}?connected=${id}`);
    expect(await get(id)).toMatchObject({
      status: 'active',
      account: 'ada',
      authorized_by: 'admin@example.com',
      authorized_at: expect.any(String),
    });
    const stored = await stack.query<{ row: string }>('select t::text as row from oauth_tokens t where key = $1', [id]);
    expect(stored).toEqual([{ row: expect.stringMatching(/\\\\x01[0-9a-f]{100,}/) }]);
  });

  it('stay pending if the person denies the permission, or if the browser is another one', async () => {
    const { id, authorize_url } = await create();
    const denied = browser();
    await denied.open(`${authorize_url}&return_to=%2Fconsole%2Fx`, /\/auth\?/);
    const state = new URL(authorize_url).searchParams.get('state') ?? '';
    const back = await denied.open(
      `${stack.baseUrl}/v1/oauth/callback?error=access_denied&state=${state}`,
      /\/console\//,
    );
    expect(back.url).toBe(`${stack.baseUrl}/console/x?error=invalid_request`);
    expect(await get(id)).toMatchObject({ status: 'pending', account: null, error: null });

    const again = await call<{ authorize_url: string }>('POST', `/connections/${id}/authorize`);
    expect(again).toMatchObject({ status: 200, body: { authorize_url: expect.stringContaining('state=') } });
    const callback = await browser().open(again.body.authorize_url, /\/v1\/oauth\/callback/);
    expect(await browser().open(callback.url)).toMatchObject({ status: 400 });
    expect(await get(id)).toMatchObject({ status: 'pending' });
    const third = await call<{ authorize_url: string }>('POST', `/connections/${id}/authorize`);
    await call('DELETE', `/connections/${id}`);
    expect(await browser().open(third.body.authorize_url)).toMatchObject({ status: 400 });
  });

  async function sessionOf(apiKey: string): Promise<string> {
    const body = JSON.stringify({ api_key: apiKey });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${stack.baseUrl}/auth/key`, { method: 'POST', headers, body });
    const [, session = ''] = /aas_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    expect(session).not.toBe('');
    return session;
  }
  /** Returns a browser in which the holder of the key is signed in. */
  async function signedIn(apiKey: string): Promise<Browser> {
    const person = browser();
    person.setCookie(stack.baseUrl, 'aas_session', await sessionOf(apiKey));
    return person;
  }
  const authorisations = async (id: string) => {
    const path = '/audit-events?action=connection.authorize';
    const { body } = await call<{ data: { actor: string; target: string; detail: JsonObject }[] }>('GET', path);
    return body.data.filter(({ target }) => target === id);
  };

  it('ask the person before the browser goes to the provider', async () => {
    const name = '<b>crm</b>';
    const { id, authorize_url } = await create({ name, scopes: ['openid', 'read'] });
    const own = await fetch(authorize_url);
    expect(own.status).toBe(200);
    expect(own.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; form-action /,
    );
    const stranger = browser();
    const page = await stranger.read(authorize_url);
    const [{ name: workspace } = { name: '' }] = await stack.query<{ name: string }>(
      'select name from workspaces where id = $1',
      [stack.workspaceId],
    );
    const shown = [
      'admin@example.com',
      workspace,
      'Our wiki',
      new URL(server.url).host,
      'openid',
      'read',
      '&#60;b&#62;crm',
    ];
    for (const text of shown) expect(page.text).toContain(text);
    expect(page.text).not.toContain('<b>');
    expect(server.grants).toEqual([]);

    expect((await stranger.press(page, 'continue')).text).toContain(`<code>${id}</code>`);
    expect(await get(id)).toMatchObject({ status: 'active', account: 'ada' });
    const people = { requested_by: 'admin@example.com', authorized_by: null };
    expect(await authorisations(id)).toMatchObject([
      { actor: 'admin@example.com', detail: { account: 'ada', ...people } },
    ]);
  });

  it('stay pending if the person cancels, and the link ends', async () => {
    const { id, authorize_url } = await create();
    const person = browser();
    const page = await person.read(authorize_url);
    expect(await person.press(page, 'cancel')).toMatchObject({
      status: 200,
      text: expect.stringContaining('cancelled'),
    });
    expect(await person.read(authorize_url)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Request a new'),
    });
    expect(await get(id)).toMatchObject({ status: 'pending' });

    const { body } = await call<{ authorize_url: string }>('POST', `/connections/${id}/authorize`);
    const again = await person.read(`${body.authorize_url}&return_to=%2Fconsole%2Fx`);
    const back = await person.press(again, 'cancel', /\/console\//);
    expect(back.url).toBe(`${stack.baseUrl}/console/x?error=invalid_request`);
  });

  it('are not authorised by a form of another site, of another browser or of another link', async () => {
    const { id, authorize_url } = await create();
    const person = browser();
    const page = await person.read(authorize_url);
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign)
      expect([headers, (await person.press(page, 'continue', /\/auth\?/, headers)).status]).toEqual([headers, 403]);
    expect((await browser().press(page, 'continue', /\/auth\?/)).status).toBe(403);
    const other = await person.read((await create()).authorize_url);
    const mixed = { ...page, text: page.text.replace(/(name="state" value=")[\w-]+/, `$1${stateOf(other.url)}`) };
    expect((await person.press(mixed, 'continue', /\/auth\?/)).status).toBe(403);
    expect((await person.press(page, 'cancel', undefined, { origin: 'https://evil.example' })).status).toBe(403);

    // The requester continues in one browser, and sends the address of the provider to a person who saw only the page.
    const requester = browser();
    const provider = await requester.press(await requester.read(authorize_url), 'continue', /\/auth\?/);
    const callback = await person.read(provider.url, /\/v1\/oauth\/callback/);
    expect(callback.url).toContain('code=');
    expect(await person.read(callback.url)).toMatchObject({
      status: 400,
      text: expect.stringContaining('another browser'),
    });
    expect(await get(id)).toMatchObject({ status: 'pending', account: null });
  });

  it('are not authorised in a browser in which another member or another workspace is signed in', async () => {
    const { id, authorize_url } = await create();
    const builder = await aPerson(stack, 'builder@example.com', { role: 'builder' });
    const elsewhere = await addWorkspace(stack);
    for (const key of [builder.key, elsewhere.adminKey]) {
      const person = await signedIn(key);
      expect(await person.read(authorize_url)).toMatchObject({
        status: 403,
        text: expect.stringContaining('signed in'),
      });
      // A link from another site does not send the session, so the page appears. The form of the page sends it.
      const visitor = browser();
      const page = await visitor.read(authorize_url);
      visitor.setCookie(stack.baseUrl, 'aas_session', await sessionOf(key));
      expect((await visitor.press(page, 'continue', /\/auth\?/)).status).toBe(403);
    }
    const admin = await signedIn(stack.adminKey);
    expect((await admin.open(authorize_url)).text).toContain(`<code>${id}</code>`);
    const people = { requested_by: 'admin@example.com', authorized_by: 'admin@example.com' };
    expect(await authorisations(id)).toMatchObject([{ detail: people }]);
  });

  it('are used by the calls of the agents that they are granted to, and by no others', async () => {
    const { id, name } = await create();
    const agent = await anAgent(name);
    expect((await run(agent.id)).error).toMatchObject({ code: 'connection_forbidden', step: 'read' });
    await call('PATCH', `/connections/${id}`, { agents: [agent.id] });
    const early = (await run(agent.id)).error;
    expect(early).toMatchObject({ code: 'connection_unavailable', message: expect.stringContaining('authorize') });
    const { body } = await call<{ authorize_url: string }>('POST', `/connections/${id}/authorize`);
    await browser().open(body.authorize_url);
    const done = await run(agent.id);
    expect(done).toMatchObject({ status: 'succeeded', output: { notes: ['one'] } });
    expect(server.asked).toEqual(['GET /notes']);
    expect((await get(id)).last_used_at).toEqual(expect.any(String));

    const other = await anAgent(name);
    await call('PATCH', `/connections/${id}`, { agents: [`name:${other.name}`] });
    expect((await run(agent.id)).error).toMatchObject({ code: 'connection_forbidden' });
    expect(await run(other.id)).toMatchObject({ status: 'succeeded' });
    const byId = await anAgent(id, other.name.replace('reader', 'by-id'));
    await call('PATCH', `/connections/${id}`, { agents: [byId.id] });
    expect(await run(byId.id)).toMatchObject({ status: 'succeeded' });
    const missing = await anAgent('no-such-connection');
    expect((await run(missing.id)).error).toMatchObject({ code: 'connection_forbidden' });
  });

  it('have their access renewed once for the runs of two workers, before the end and after a 401', async () => {
    await scene.haveWorkers(2);
    const { id, name } = await active({ agents: ['name:racer'] });
    const agent = await anAgent(name, 'racer');
    server.grants.length = 0;
    const all = async () => {
      const runs = await Promise.all(Array.from({ length: 6 }, () => run(agent.id)));
      return runs.map(({ status }) => status);
    };
    await stack.query(
      'update oauth_tokens set renew_at = clock_timestamp(), expires_at = clock_timestamp() where key = $1',
      [id],
    );
    expect(await all()).toEqual(Array(6).fill('succeeded'));
    expect(server.grants).toEqual(['refresh_token ok']);
    expect(server.asked.filter((line) => line.startsWith('401'))).toEqual([]);

    await server.expireAccess();
    expect(await all()).toEqual(Array(6).fill('succeeded'));
    expect(server.grants).toEqual(['refresh_token ok', 'refresh_token ok']);
    expect(await get(id)).toMatchObject({ status: 'active', error: null });
  });

  it('expire when the provider no longer accepts them, and work after a new authorisation', async () => {
    const { id, name } = await active({ agents: ['name:expired'] });
    const agent = await anAgent(name, 'expired');
    await server.revoke();
    const failed = await run(agent.id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'connection_unavailable', step: 'read' } });
    expect(await get(id)).toMatchObject({
      status: 'expired',
      account: 'ada',
      error: {
        code: 'authorization_revoked',
        message: expect.stringContaining('Our wiki'),
        at: expect.stringMatching(/Z$/),
      },
    });
    const asked = server.asked.length;
    expect((await run(agent.id)).error).toMatchObject({ code: 'connection_unavailable' });
    expect(server.asked).toHaveLength(asked);

    const { body } = await call<{ authorize_url: string }>('POST', `/connections/${id}/authorize`);
    await browser().open(body.authorize_url);
    expect(await run(agent.id)).toMatchObject({ status: 'succeeded' });
    expect(await get(id)).toMatchObject({ status: 'active', error: null });
  });

  it.each([
    ['wiki', 'the metadata of its issuer names'],
    ['named', 'the operator names'],
  ])('are revoked when they are deleted, where %s has an endpoint that %s', async (provider) => {
    const { id } = await active({ provider });
    expect((await call('DELETE', `/connections/${id}`)).status).toBe(204);
    expect(server.revocations).toEqual(['refresh_token', 'access_token']);
    expect(await stack.query('select 1 from oauth_tokens where key = $1', [id])).toEqual([]);
    const { body } = await call<{ data: { target: string; detail: JsonObject }[] }>(
      'GET',
      '/audit-events?action=connection.delete',
    );
    expect(body.data.find(({ target }) => target === id)?.detail).toMatchObject({ provider, revoked: true });
  });

  it('are deleted as well if the provider has no revocation endpoint', async () => {
    const { id } = await active({ provider: 'silent' });
    expect((await call('DELETE', `/connections/${id}`)).status).toBe(204);
    expect(server.revocations).toEqual([]);
  });

  it('that a definition may not use are reported at its creation, and prevent a promotion', async () => {
    const { id, name } = await create();
    const agent = await anAgent(name);
    expect(agent.warnings).toMatchObject([
      { pointer: '/tools/0/auth/connection', suggestion: expect.stringContaining(id) },
    ]);
    const path = `/agents/${agent.id}/versions`;
    const version = await call<{ warnings: JsonObject[] }>('POST', path, definition(agent.name, 'unknown'));
    expect(version).toMatchObject({ status: 201, body: { warnings: [{ pointer: '/tools/0/auth/connection' }] } });
    const refused = await call('POST', `${path}/2/promote`);
    expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
    await call('POST', path, { ...definition(agent.name, name), description: 'third' });
    expect(await call('POST', `${path}/3/promote`)).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
    await call('PATCH', `/connections/${id}`, { agents: [agent.id] });
    expect((await call('POST', `${path}/3/promote`)).status).toBe(200);

    const granted = await call<{ warnings: JsonObject[] }>('POST', path, {
      ...definition(agent.name, name),
      description: 'fourth',
    });
    expect(granted.body.warnings).toEqual([]);
    const diff = await call<{ capability_changes: JsonObject[] }>('GET', `${path}/1/diff/2`);
    expect(diff.body.capability_changes).toContainEqual(
      expect.objectContaining({
        kind: 'connection_changed',
        severity: 'warning',
        pointer: '/tools/0/auth/connection',
        before: name,
        after: 'unknown',
      }),
    );
  });
});
