import { createHmac } from 'node:crypto';
import { CallbackAddressesService } from '../../libs/runs/src/callbacks/callback-addresses.service.js';
import type { TestApi } from './api.js';
import type { ApiAnswer, CallOptions, HttpApi, TestTenant } from './http-api.js';
import { RawOauthClient, REDIRECT } from './mcp-oauth-client.js';
import { aStateEntry } from './state-entry.js';

type Call = (
  id: string,
  parameters?: Record<string, string>,
  options?: CallOptions & { query?: string },
) => Promise<ApiAnswer>;

const STEPS = [{ id: 'a', output: 1 }];

export async function ofSignedWebhooks(call: Call): Promise<void> {
  for (const name of ['SENDER', 'VERIFY']) await call('putSecret', { name }, { body: { value: name } });
  const auth = { secret: '${{ secrets.SENDER }}' };
  const definition = {
    name: 'signed',
    triggers: [
      { id: 'slack', type: 'webhook', auth: { ...auth, scheme: 'slack' } },
      { id: 'meta', type: 'webhook', auth: { ...auth, scheme: 'meta', verify_token: '${{ secrets.VERIFY }}' } },
    ],
    steps: STEPS,
  };
  const { body: agent } = await call('createAgent', {}, { body: definition });
  const { id } = agent;
  const body = '{"type":"url_verification","challenge":"c"}';
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', 'SENDER').update(`v0:${at}:${body}`).digest('hex');
  const headers = {
    'Content-Type': 'application/json',
    'X-Slack-Request-Timestamp': at,
    'X-Slack-Signature': `v0=${signature}`,
  };
  await call('triggerAgent', { id }, { key: undefined, body, headers });
  await call('triggerAgent', { id }, { key: undefined, body: '{}', headers });
  for (const token of ['VERIFY', 'other']) {
    const query = `?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`;
    await call('verifyWebhook', { id }, { key: undefined, query });
  }
  await call('verifyWebhook', { id: 'agt_1' }, { key: undefined });
  const origin = { 'WebHook-Request-Origin': 'eventgrid.azure.net' };
  await call('allowWebhookSender', { id }, { key: undefined, headers: origin });
  await call('allowWebhookSender', { id }, { key: undefined });
}

export async function ofCallbacks(call: Call, api: TestApi): Promise<number[]> {
  const schema = { type: 'object', required: ['state'], properties: { state: { type: 'string' } } };
  const definition = { name: 'waiter', steps: [{ id: 'done', wait: { callback: { schema } } }] };
  const { body: agent } = await call('createAgent', {}, { body: definition });
  const { body: run } = await call('startRun', { id: agent.id }, { body: { input: {} } });
  const addresses = api.app.get(CallbackAddressesService, { strict: false });
  const token = addresses.tokenOf({ runId: run.id, path: 'done' });
  const send = async (body: unknown, to = token): Promise<number> => {
    const headers = { 'Content-Type': 'application/json' };
    return (await call('callCallback', { token: to }, { key: undefined, body, headers })).status;
  };
  const done = { state: 'done' };
  return [
    await send('[]'),
    await send('{'),
    await send({ state: 1 }),
    await send(done),
    await send(done),
    await send(done, 'none'),
  ];
}

export async function ofState(call: Call, api: HttpApi, tenant: TestTenant): Promise<void> {
  const { body: agent } = await call('createAgent', {}, { body: { name: 'keeper', steps: STEPS } });
  const { id } = agent;
  for (const key of ['a', 'b']) {
    await api.execute(aStateEntry(tenant.workspaceId, id, key));
    await api.execute(aStateEntry(tenant.workspaceId, tenant.workspaceId, key));
  }
  const { body: page } = await call('listAgentState', { id }, { query: '?limit=1' });
  await call('listAgentState', { id }, { query: `?cursor=${page.next_cursor}` });
  await call('listAgentState', { id }, { query: '?cursor=x' });
  await call('listAgentState', { id: 'agt_1' });
  await call('deleteAgentState', { id }, { query: '?key=a' });
  await call('deleteAgentState', { id }, { key: await tenant.key('viewer') });
  await call('deleteAgentState', { id: 'agt_1' });
  await call('listWorkspaceState', {}, { query: '?prefix=a' });
  await call('listWorkspaceState', {}, { query: '?limit=0' });
  await call('deleteWorkspaceState', {}, { query: '?key=a' });
  await call('deleteWorkspaceState');
  await call('deleteWorkspaceState', {}, { key: await tenant.key('viewer') });
}

export async function ofFiles(call: Call): Promise<void> {
  const { body: file } = await call('uploadFile', {}, { body: 'hello', query: '?filename=a.txt' });
  await call('uploadFile', {}, { body: 'hello', query: '?expires_in=x' });
  const { id } = file;
  for (const each of [id, 'file_1']) await call('getFile', { id: each });
  await call('listFiles');
  await call('listFiles', {}, { query: '?source=x' });
  await call('downloadFile', { id });
  await call('downloadFile', { id }, { headers: { Range: 'bytes=0-1' } });
  await call('downloadFile', { id }, { headers: { Range: 'bytes=9-' } });
  await call('readFileText', { id }, { query: '?max_chars=3' });
  await call('readFileText', { id }, { query: '?pages=0' });
  const { body: link } = await call('createFileLink', { id }, { body: { expires_in: '2h' } });
  await call('createFileLink', { id }, { body: { expires_in: '2d' } });
  await call('createFileLink', { id: 'file_1' });
  const token = String(link.url).split('/').at(-1) ?? '';
  await call('openFileLink', { token });
  await call('openFileLink', { token }, { headers: { Range: 'bytes=0-1' } });
  await call('revokeFileLinks', { id });
  await call('revokeFileLinks', { id: 'file_1' });
  await call('openFileLink', { token });
  for (const each of [id, 'file_1']) await call('deleteFile', { id: each });
  await call('downloadFile', { id });
}

export async function ofFixtures(call: Call): Promise<void> {
  const name = 'invoice.txt';
  for (const body of ['one', 'two']) await call('putFixture', { name }, { body });
  await call('putFixture', { name: '-' }, { body: 'one' });
  await call('listFixtures');
  await call('listFixtures', {}, { query: '?limit=0' });
  for (const each of [name, 'nothing']) await call('getFixture', { name: each });
  for (const each of [name, 'nothing']) await call('deleteFixture', { name: each });
}

export async function ofWebhookEndpoints(call: Call, tenant: TestTenant): Promise<void> {
  const body = { url: 'https://hooks.example.com/events', events: ['run.completed'] };
  const headers = { 'Idempotency-Key': 'hook' };
  const { body: endpoint } = await call('createWebhookEndpoint', {}, { body, headers });
  const { id } = endpoint;
  await call('createWebhookEndpoint', {}, { body, headers });
  await call('createWebhookEndpoint', {}, { body: { ...body, events: ['workspace.stopped'] }, headers });
  await call('createWebhookEndpoint', {}, { body: { ...body, events: ['run.began'] } });
  await call('createWebhookEndpoint', {}, { body: { ...body, url: 'http://hooks.example.com' } });
  await call('createWebhookEndpoint', {}, { body, key: await tenant.key('operator') });
  await call('listWebhookEndpoints');
  await call('getWebhookEndpoint', { id });
  await call('getWebhookEndpoint', { id: 'whe_1' });
  await call('updateWebhookEndpoint', { id }, { body: { description: 'ends', agents: null } });
  await call('updateWebhookEndpoint', { id }, { body: { events: [] } });
  await call('rotateWebhookSecret', { id }, { body: { grace_seconds: 60 } });
  await call('rotateWebhookSecret', { id });
  const { body: delivery } = await call('testWebhookEndpoint', { id });
  await call('listWebhookDeliveries', { id }, { query: '?status=pending' });
  await call('listWebhookDeliveries', { id }, { query: '?status=lost' });
  const parameters = { id, delivery_id: delivery.id };
  await call('getWebhookDelivery', parameters);
  await call('getWebhookDelivery', { id, delivery_id: 'dlv_1' });
  await call('retryWebhookDelivery', parameters);
  await call('retryWebhookDelivery', { id, delivery_id: 'dlv_1' });
  await call('retryWebhookDeliveries', { id });
  await call('retryWebhookDeliveries', { id: 'whe_1' });
  await call('updateWebhookEndpoint', { id }, { body: { status: 'disabled' } });
  await call('testWebhookEndpoint', { id });
  await call('retryWebhookDelivery', parameters);
  await call('listEvents', {}, { query: '?type=webhook.test,run.completed&since=2026-01-01T00:00:00Z' });
  await call('listEvents', {}, { query: '?type=run.began' });
  await call('deleteWebhookEndpoint', { id });
  await call('deleteWebhookEndpoint', { id });
}

export async function ofConnections(call: Call, tenant: TestTenant): Promise<void> {
  await call('listConnectionProviders');
  const body = { name: 'crm', provider: 'small' };
  const { body: connection } = await call('createConnection', {}, { body });
  const { id } = connection;
  await call('createConnection', {}, { body });
  await call('createConnection', {}, { body: { ...body, name: 'other', provider: 'none' } });
  await call('createConnection', {}, { body: { ...body, name: 'other', agents: ['agt_1'] } });
  await call('createConnection', {}, { body, key: await tenant.key('viewer') });
  await call('authorizeConnection', { id });
  await call('authorizeConnection', { id: 'con_1' });
  await authorised(call, connection.authorize_url);
  const { body: again } = await call('authorizeConnection', { id });
  await authorised(call, again.authorize_url, 'cancel');
  await call('listConnections');
  await call('listConnections', {}, { query: '?limit=0' });
  await call('getConnection', { id });
  await call('getConnection', { id: 'con_1' });
  await call('changeConnection', { id }, { body: { agents: ['name:later'] } });
  await call('changeConnection', { id }, { body: { agents: 'all' } });
  await call('deleteConnection', { id });
  await call('deleteConnection', { id });
}

export async function ofAuthorisations(call: Call, id: string, upload: string): Promise<void> {
  await call('authorizeSource', { id, source_id: upload });
  await call('listSourceScopes', { id, source_id: upload });
  await call('authorizeSource', { id, source_id: 'src_1' });
  await call('beginAuthorization', {}, { query: '?state=none' });
  await call('finishAuthorization', {}, { query: '?state=none&code=x' });
  const unset = await call('createSource', { id }, { body: { connector: 'notion' } });
  await call('beginAuthorization', {}, { query: new URL(unset.body.authorize_url).search });
  const { body } = await call('createSource', { id }, { body: { connector: 'small' } });
  const page = await authorised(call, body.authorize_url);
  await call('authorizeSource', { id, source_id: /src_\w+/.exec(page.body)?.[0] ?? '' });
}

async function authorised(call: Call, address: string, decision = 'continue'): Promise<ApiAnswer> {
  const { search, searchParams } = new URL(address);
  const state = searchParams.get('state') ?? '';
  const opened = await call('beginAuthorization', {}, { query: search });
  const token = /name="token" value="([^"]+)"/.exec(opened.body)?.[1] ?? '';
  const sent = { 'Content-Type': 'application/x-www-form-urlencoded', cookie: cookieOf(opened) };
  const body = String(new URLSearchParams({ state, token, decision }));
  await call('decideAuthorization', {}, { body, headers: { ...sent, cookie: '' } });
  const decided = await call('decideAuthorization', {}, { body, headers: sent, redirect: 'manual' });
  const headers = { cookie: cookieOf(decided) };
  return call('finishAuthorization', {}, { query: `?state=${state}&code=x`, headers });
}

function cookieOf({ headers }: ApiAnswer): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

type CallInPage = (id: string, body?: unknown, parameters?: Record<string, string>) => Promise<ApiAnswer>;

/** `inPage` sends the requests of a person who has signed in recently. */
export async function ofMcpOauth(call: Call, inPage: CallInPage, api: { url: string }): Promise<void> {
  const body = { name: 'Assistant', redirect_uris: [REDIRECT] };
  const { body: made } = await call('createOauthClient', {}, { body });
  await call('createOauthClient', {}, { body: { ...body, redirect_uris: ['http://assistant.example/'] } });
  await call('listOauthClients');
  const open = { key: undefined };
  for (const id of ['getMcpResourceMetadata', 'getMcpAuthorResourceMetadata', 'getMcpAuthorizationServer'])
    await call(id, {}, open);
  await call('registerMcpClient', {}, { ...open, body: { redirect_uris: [REDIRECT] } });
  await call('authorizeMcpClient', {}, open);
  const client = new RawOauthClient({ baseUrl: api.url }, String(made.client_id));
  const id = await client.ask();
  await inPage('getMcpAccessRequest', undefined, { id });
  await call('getMcpAccessRequest', { id });
  const decided = await inPage('decideMcpAccessRequest', { decision: 'allow' }, { id });
  await inPage('decideMcpAccessRequest', { decision: 'allow' }, { id });
  const code = new URL(String(decided.body.redirect_to)).searchParams.get('code') ?? '';
  const form = (fields: Record<string, string>) => ({
    ...open,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: client.clientId, ...fields }).toString(),
  });
  const { resource, verifier } = client;
  const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier, resource };
  const { body: tokens } = await call('issueMcpToken', {}, form(grant));
  await call('revokeMcpToken', {}, form({ token: String(tokens.access_token) }));
  for (let n = 0; n < 2; n++) await call('deleteOauthClient', { client_id: made.client_id });
}

export async function ofSavedViews(call: Call, tenant: TestTenant): Promise<void> {
  const body = { screen: 'runs', name: 'Failed', query: 'status=failed', shared: true };
  const { body: view } = await call('createSavedView', {}, { body });
  await call('createSavedView', {}, { body });
  await call('createSavedView', {}, { body, key: await tenant.key('viewer') });
  await call('createSavedView', {}, { body: { ...body, query: '?status=failed' } });
  await call('listSavedViews', {}, { query: '?screen=runs' });
  await call('listSavedViews', {}, { query: '?screen=agents' });
  const { id } = view;
  await call('getSavedView', { id });
  await call('getSavedView', { id: 'view_1' });
  await call('changeSavedView', { id }, { body: { name: 'Failed runs', shared: false } });
  await call('changeSavedView', { id }, { body: { name: '' } });
  await call('deleteSavedView', { id });
  await call('deleteSavedView', { id });
}
