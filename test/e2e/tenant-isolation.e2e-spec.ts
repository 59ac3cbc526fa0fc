import { Client } from 'pg';
import { KnowledgeScene } from '../../libs/knowledge/src/testing/knowledge-scene.js';
import { ConsoleClient } from '../support/console-client.js';
import { anOpenApproval } from '../support/open-approval.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import { aStateEntry } from '../support/state-entry.js';
import type { ApiAnswer, CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const AGENT = {
  name: 'owned',
  triggers: [{ id: 'daily', type: 'schedule', cron: '0 7 * * *' }],
  evaluation: { cases: [{ name: 'a', input: {}, assert: [{ type: 'status', value: 'succeeded' }] }] },
  steps: [{ id: 'a', output: 1 }],
};

const WAITING = { name: 'waiting', steps: [{ id: 'done', wait: { callback: {} } }] };

/** Valid request bodies, by operation. All other operations send `{}`. */
const BODIES: Readonly<Record<string, object>> = {
  createAgentVersion: { name: 'owned', steps: [{ id: 'a', output: 2 }] },
  compareDefinition: { name: 'owned', steps: [{ id: 'a', output: 2 }] },
  startRun: { input: {} },
  replayRun: { mode: 'test' },
  decideRunApproval: { decision: 'approve' },
  changeMember: { role: 'viewer' },
  changeGroup: { members: [] },
  changeSavedView: { name: 'theirs' },
  putSecret: { value: 'theirs' },
  searchKnowledgeBase: { query: 'nobody' },
  changeKnowledgeBase: { description: 'theirs' },
  createSource: { connector: 'upload' },
  testSource: { connector: 'website', config: { start_urls: ['https://docs.example.com/'] } },
  changeSource: { schedule: 'daily' },
  changeConnection: { agents: [] },
  pushDocument: { name: 'theirs', text: 'theirs' },
  updateWebhookEndpoint: { description: 'theirs' },
  replaceKnowledgeBaseAccess: { users: ['eve@example.com'] },
};

/** Required query parameters, by operation. With them, only the id in the path of the request is wrong. */
const QUERIES: Readonly<Record<string, string>> = { removeDocument: '?name=theirs' };

/**
 * Operations that do not respond with 404 to another workspace. Four succeed for unknown names, and three do not reveal
 * whether the agent exists.
 */
const OTHER_ANSWERS: Readonly<Record<string, number>> = {
  putSecret: 204,
  deleteSecret: 204,
  putFixture: 201,
  deleteFixture: 204,
  triggerAgent: 401,
  allowWebhookSender: 400,
  verifyWebhook: 401,
};

/** Returns a callback token in the format of the service, but with an invalid signature. */
const callbackWithoutSignature = (runId: string) =>
  Buffer.concat([Buffer.from(`${runId}done`), Buffer.alloc(32)]).toString('base64url');

const OWNED_TABLES = [
  'agents',
  'runs',
  'secrets',
  'knowledge_bases',
  'connections',
  'files',
  'fixtures',
  'state_entries',
];

/** Returns one digest for each table with the column `workspace_id`, over all rows of one workspace. */
const DIGESTS = `select c.table_name as name,
    (xpath('/row/digest/text()', query_to_xml(format(
      'select md5(coalesce(string_agg(t::text, '','' order by t::text), '''')) as digest from public.%I t where workspace_id = %L',
      c.table_name, $1::text), false, true, '')))[1]::text as digest
  from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE' order by 1`;

describe('what belongs to another workspace', () => {
  let api: HttpApi;
  let owner: TestTenant;
  let stranger: TestTenant;
  let contract: OpenApiContract;
  /** Ids and names of objects of the owner. The key is the path segment that precedes the id or name in a path. */
  let owned: Readonly<Record<string, string>>;

  beforeAll(async () => {
    api = await sharedApi();
    [owner, stranger] = [await api.newTenant(), await api.newTenant()];
    contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    owned = await somethingOfEachKind();
  });

  afterAll(() => api.close());

  async function somethingOfEachKind(): Promise<Record<string, string>> {
    const make = async (path: string, body: object): Promise<ApiAnswer['body']> => {
      const answer = await api.call('POST', `/v1${path}`, { key: owner.adminKey, body });
      if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const agent = await make('/agents', AGENT);
    const evaluation = await make(`/agents/${agent.id}/versions/1/evaluate`, {});
    const run = await make(`/agents/${agent.id}/runs`, { input: {} });
    const approval = `apr_${String(run.id).slice('run_'.length)}`;
    await api.execute(anOpenApproval(run.id, approval));
    const member = await make('/members', { email: 'eve@example.com', role: 'viewer' });
    const group = await make('/groups', { name: 'owners', members: [] });
    const view = await make('/saved-views', { screen: 'runs', name: 'owned', query: 'status=failed', shared: true });
    const key = await make('/api-keys', { name: 'k', kind: 'live', role: 'viewer', member: 'eve@example.com' });
    const base = await make('/knowledge-bases', { name: 'owned' });
    const knowledge = await KnowledgeScene.within(api.databaseUrl, owner.workspaceId);
    await knowledge.documents(base.id, { secret: 'what no other workspace may find' });
    await knowledge.close();
    const documents = await api.call('GET', `/v1/knowledge-bases/${base.id}/documents`, { key: owner.adminKey });
    const source = await make(`/knowledge-bases/${base.id}/sources`, { connector: 'upload' });
    const sync = await make(`/knowledge-bases/${base.id}/sources/${source.id}/sync`, {});
    const endpoint = await make('/webhook-endpoints', { url: 'https://example.com/hook', events: ['run.completed'] });
    const delivery = await make(`/webhook-endpoints/${endpoint.id}/test`, {});
    const connection = await make('/connections', { name: 'owned', provider: 'github' });
    const file = await make('/files', { content: 'owned' });
    const client = await make('/oauth-clients', { name: 'owned', redirect_uris: ['https://client.example/'] });
    const waiting = await make('/agents', WAITING);
    const { id: waitingRun } = await make(`/agents/${waiting.id}/runs`, { input: {} });
    await api.execute(aStateEntry(owner.workspaceId, agent.id, 'cursor'));
    await api.execute(aStateEntry(owner.workspaceId, owner.workspaceId, 'shared'));
    const bulk = await make('/bulk-actions', { action: 'replay', ids: [run.id] });
    const page = new ConsoleClient(api);
    const { session } = (await page.signIn(owner.adminKey)).body;
    await api.call('PUT', '/v1/secrets/OWNED', { key: owner.adminKey, body: { value: 'mine' } });
    await api.call('PUT', '/v1/fixtures/owned', { key: owner.adminKey, body: 'mine' });
    return {
      agents: agent.id, versions: '1', diff: '1', evaluations: evaluation.id, triggers: 'daily', runs: run.id, trace: '1', approvals: approval,
      members: member.id, groups: group.name, 'saved-views': view.id, 'api-keys': key.id, secrets: 'OWNED', fixtures: 'owned', 'knowledge-bases': base.id, documents: documents.body.data[0].id, sources: source.id, syncs: sync.id,
      'webhook-endpoints': endpoint.id, deliveries: delivery.id, sessions: session.id, 'bulk-actions': bulk.id, connections: connection.id, files: file.id, 'oauth-clients': client.client_id, requests: 'unknown', callbacks: callbackWithoutSignature(waitingRun),
    }; // prettier-ignore
  }

  function pathOf({ path, route }: DescribedOperation): string {
    return path.replace(/([^/]+)\/\{\w+\}/g, (_, collection: string) => {
      const name = owned[collection];
      if (name === undefined) throw new Error(`${route}: make something of the kind ${collection} for the owner`);
      return `${collection}/${name}`;
    });
  }

  async function digests(): Promise<Record<string, string>> {
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string; digest: string }>(DIGESTS, [owner.workspaceId]);
    await client.end();
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  }

  it('does not exist, whatever is asked of it, and stays as it is', async () => {
    const before = await digests();
    expect(Object.keys(before)).toEqual(expect.arrayContaining(OWNED_TABLES));
    const named = contract.operations().filter(({ path }) => path.includes('{'));
    expect(named.length).toBeGreaterThan(30);
    for (const described of named) {
      const { operationId } = described.operation;
      const options: CallOptions = { key: stranger.adminKey };
      if (described.method !== 'GET' && described.method !== 'DELETE') options.body = BODIES[operationId] ?? {};
      const path = `${pathOf(described)}${QUERIES[operationId] ?? ''}`;
      const { status } = await api.call(described.method, path, options);
      expect([described.route, status]).toEqual([described.route, OTHER_ANSWERS[operationId] ?? 404]);
    }
    expect(await digests()).toEqual(before);
  });

  it('is not in any list', async () => {
    const lists = contract.operations().filter(({ method, path, operation }) => {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      return method === 'GET' && !path.includes('{') && names.includes('cursor');
    });
    expect(lists.length).toBeGreaterThan(6);
    const mine = new Set(Object.values(owned).filter((id) => id.includes('_')));
    for (const { route, path } of lists) {
      const { status, body } = await api.call('GET', `${path}?limit=100`, { key: stranger.adminKey });
      const seen = [...mine].filter((id) => JSON.stringify(body).includes(id));
      expect([route, status, seen]).toEqual([route, 200, []]);
    }
  });

  describe('or to another agent than those of a narrowed key', () => {
    const OF_AGENTS = ['agents', 'runs', 'approvals', 'evaluations', 'bulk-actions', 'webhook-endpoints'];
    let own: { agent: string; run: string; key: string };

    beforeAll(async () => {
      const post = (path: string, body: object) => api.call('POST', `/v1${path}`, { key: owner.adminKey, body });
      const { id: agent } = (await post('/agents', { name: 'mine', steps: [{ id: 'a', output: 1 }] })).body;
      const { id: run } = (await post(`/agents/${agent}/runs`, { input: {} })).body;
      const wanted = {
        name: 'narrowed',
        kind: 'live',
        role: 'admin',
        member: 'admin@example.com',
        agents: ['name:mine'],
      };
      const made = await post('/api-keys', wanted);
      expect(made).toMatchObject({ status: 201, body: { agents: [agent], automation: false } });
      own = { agent, run, key: made.body.key };
    });

    const read = async (path: string) => (await api.call('GET', `/v1${path}`, { key: own.key })).body;

    it('does not exist, by any operation', async () => {
      // The rows of keys contain the time of their last use.
      const withoutKeys = async () => ({ ...(await digests()), api_keys: null });
      const before = await withoutKeys();
      const named = contract.operations().filter(({ path }) => OF_AGENTS.includes(path.split('/')[2] ?? ''));
      for (const described of named.filter(({ path }) => path.includes('{'))) {
        const { operationId } = described.operation;
        const options: CallOptions = { key: own.key };
        if (described.method !== 'GET' && described.method !== 'DELETE') options.body = BODIES[operationId] ?? {};
        const { status } = await api.call(described.method, pathOf(described), options);
        expect([described.route, status]).toEqual([described.route, OTHER_ANSWERS[operationId] ?? 404]);
      }
      expect((await api.call('GET', '/v1/agents/name:owned', { key: own.key })).status).toBe(404);
      expect(await withoutKeys()).toEqual(before);
    });

    it('is in no list, and what belongs to the own agent is', async () => {
      const ids = OF_AGENTS.filter((kind) => kind !== 'webhook-endpoints').map((kind) => owned[kind]!);
      const lists = contract.operations().filter(({ method, path }) => method === 'GET' && !path.includes('{'));
      for (const { route, path } of lists.filter((each) => each.path.startsWith('/v1/'))) {
        const { body } = await api.call('GET', path, { key: own.key });
        expect([route, ids.filter((id) => JSON.stringify(body).includes(id))]).toEqual([route, []]);
      }
      expect((await read('/agents')).data).toMatchObject([{ id: own.agent }]);
      expect((await read('/webhook-endpoints')).data).toEqual([]);
      expect((await read('/runs')).data).toMatchObject([{ id: own.run }]);
      expect((await read('/usage?group_by=agent')).data).toMatchObject([{ agent: own.agent, runs: 1 }]);
      expect(await read(`/runs?agent=${owned.agents}`)).toEqual({ data: [] });
      expect((await read('/audit-events')).data).toEqual(
        expect.arrayContaining([expect.objectContaining({ action: 'agent.create', target: own.agent })]),
      );
    });

    it('can be neither reached nor created', async () => {
      const post = (path: string, body: object) => api.call('POST', `/v1${path}`, { key: own.key, body });
      const bulk = await post('/bulk-actions', { action: 'cancel', ids: [own.run, owned.runs] });
      expect(bulk).toMatchObject({ status: 404, body: { code: 'not_found' } });
      const all = await post('/bulk-actions', { action: 'cancel', filter: {} });
      expect(all.body.results).toMatchObject([{ run: own.run }]);
      const made = await post('/agents', { name: 'third', steps: [{ id: 'a', output: 1 }] });
      expect(made).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
      const endpoint = { url: 'https://example.com/hook', events: ['run.completed'] };
      expect(await post('/webhook-endpoints', endpoint)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
      const foreign = await post('/webhook-endpoints', { ...endpoint, agents: [owned.agents] });
      expect(foreign).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
      const wider = { name: 'wider', kind: 'live', role: 'viewer', member: 'admin@example.com' };
      expect(await post('/api-keys', wider)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    });

    it('keeps its access when the key replaces the readers of a knowledge base', async () => {
      const path = `/v1/knowledge-bases/${owned['knowledge-bases']}/access`;
      await api.call('PUT', path, { key: owner.adminKey, body: { agents: [owned.agents] } });
      expect((await read(`/knowledge-bases/${owned['knowledge-bases']}/access`)).agents).toEqual([]);
      const replaced = await api.call('PUT', path, { key: own.key, body: { agents: [own.agent] } });
      expect(replaced.body.agents).toEqual([own.agent]);
      const kept = (await api.call('GET', path, { key: owner.adminKey })).body.agents;
      expect(new Set(kept)).toEqual(new Set([own.agent, owned.agents]));
    });

    it('is hidden from a session of the key too', async () => {
      const page = new ConsoleClient(api);
      await page.signIn(own.key);
      expect((await page.call('GET', '/v1/runs')).body.data).toMatchObject([{ id: own.run }]);
      expect((await page.call('GET', `/v1/runs/${owned.runs}`)).status).toBe(404);
    });
  });

  it('is not the state that a stranger lists or deletes', async () => {
    const read = async ({ adminKey }: TestTenant) =>
      (await api.call('GET', '/v1/workspace/state', { key: adminKey })).body.data;
    expect(await read(stranger)).toEqual([]);
    for (const query of ['?key=shared', ''])
      expect((await api.call('DELETE', `/v1/workspace/state${query}`, { key: stranger.adminKey })).status).toBe(204);
    expect(await read(owner)).toEqual([expect.objectContaining({ key: 'shared' })]);
  });

  it('cannot be referred to', async () => {
    const runs = await api.call('GET', `/v1/runs?agent=${owned.agents}`, { key: stranger.adminKey });
    expect(runs).toMatchObject({ status: 200, body: { data: [] } });
    const made = await api.call('POST', '/v1/knowledge-bases', { key: stranger.adminKey, body: { name: 'own' } });
    const path = `/v1/knowledge-bases/${made.body.id}/access`;
    const granted = await api.call('PUT', path, { key: stranger.adminKey, body: { agents: [owned.agents] } });
    expect(granted).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
    const connection = { name: 'own', provider: 'github', agents: [owned.agents] };
    const connected = await api.call('POST', '/v1/connections', { key: stranger.adminKey, body: connection });
    expect(connected).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
  });
});
