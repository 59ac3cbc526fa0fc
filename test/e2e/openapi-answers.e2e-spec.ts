import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@app/kernel';
import { KnowledgeScene } from '../../libs/knowledge/src/testing/knowledge-scene.js';
import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';
import { ConsoleClient } from '../support/console-client.js';
import {
  ofAuthorisations,
  ofCallbacks,
  ofConnections,
  ofFiles,
  ofFixtures,
  ofMcpOauth,
  ofSavedViews,
  ofSignedWebhooks,
  ofState,
  ofWebhookEndpoints,
} from '../support/described-calls.js';
import { PUBLIC_URL } from '../support/mcp-oauth-client.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { ModelServer } from '../support/model-server.js';
import { anOpenApproval } from '../support/open-approval.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import { SmallProvider } from '../support/small-provider.js';

const EVALUATION = `evaluation:
  cases:
    - { name: greets, input: { name: Ada }, assert: [{ type: status, value: succeeded }] }
  gate: { min_pass_rate: 0.9 }
`;
const YAML = { 'Content-Type': 'application/yaml' };

describe('the answers of the API keep its OpenAPI document', () => {
  let provider: SmallProvider;
  let relay: MailServer;
  let models: ModelServer;
  let api: TestApi;
  let tenant: TestTenant;
  let contract: OpenApiContract;

  beforeAll(async () => {
    provider = await SmallProvider.start();
    relay = await MailServer.start();
    models = await ModelServer.start();
    const MODEL_PROVIDERS = `providers:\n  own: { type: openai, base_url: "${models.url}", api_key: sk-0123456789abcdefghij }\n`;
    const oauth = { MCP_OAUTH: 'on', MCP_DCR: 'on', PUBLIC_URL };
    api = await startApi({ env: { ...provider.env, SMTP_RELAY_URL: relay.url, MODEL_PROVIDERS, ...oauth } });
    tenant = await api.newTenant();
    contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
  });

  afterAll(async () => {
    await api.close();
    await Promise.all([provider.stop(), relay.close(), models.close()]);
  });

  const seen = new Map<string, Set<number>>();

  /** Calls an operation by its id, and validates the response against the OpenAPI document. */
  async function call(
    id: string,
    parameters: Record<string, string> = {},
    options: CallOptions & { query?: string } = {},
  ): Promise<ApiAnswer> {
    const described = contract.operations().find(({ operation }) => operation.operationId === id) as DescribedOperation;
    const path = described.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
    const answer = await api.call(described.method, `${path}${options.query ?? ''}`, {
      key: tenant.adminKey,
      ...options,
    });
    expect([id, answer.status, contract.violations(described, answer)]).toEqual([id, answer.status, []]);
    seen.set(id, (seen.get(id) ?? new Set()).add(answer.status));
    return answer;
  }

  it('of agents, versions and definitions', async () => {
    const { body: agent } = await call('createAgent', {}, { body: GREETER, headers: YAML });
    const { id } = agent;
    await call('createAgent', {}, { body: GREETER, headers: YAML });
    await call('createAgent', {}, { body: 'name: [', headers: YAML });
    await call('createAgent', {}, { body: 'nome: x', headers: YAML });
    await call('createAgent', {}, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    await call('createAgent', {}, { body: ' '.repeat(300_000), headers: YAML });
    await call('listAgents');
    await call('listAgents', {}, { query: '?limit=0' });
    await call('listAgents', {}, { query: '?cursor=x' });
    await call('listAgents', {}, { key: undefined });
    await call('getAgent', { id });
    await call('getAgent', { id: 'agt_1' });
    await call('pauseAgent', { id });
    await call('resumeAgent', { id });
    await call('createAgentVersion', { id }, { body: GREETER, headers: YAML });
    await call('createAgentVersion', { id }, { body: GREETER.replace('Hello', 'Hi'), headers: YAML });
    await call('createAgentVersion', { id: 'agt_1' }, { body: GREETER, headers: YAML });
    await call('listAgentVersions', { id });
    await call('listAgentVersions', { id }, { query: '?limit=1' });
    await call('getAgentVersion', { id, n: '1' });
    await call('getAgentVersion', { id, n: '1' }, { headers: { Accept: 'application/yaml' } });
    await call('getAgentVersion', { id, n: '1' }, { headers: { Accept: 'image/png' } });
    await call('getAgentVersion', { id, n: '9' });
    await call('promoteAgentVersion', { id, n: '2' });
    await call('promoteAgentVersion', { id, n: '9' });
    await call('promoteAgentVersion', { id, n: '1' }, { headers: { 'If-Match': '"x"' } });
    await call('evaluateAgentVersion', { id, n: '1' });
    await call('evaluateAgentVersion', { id, n: '9' });
    const evaluated = GREETER + EVALUATION;
    const { body: version } = await call('createAgentVersion', { id }, { body: evaluated, headers: YAML });
    const n = String(version.version);
    const { body: evaluation } = await call('evaluateAgentVersion', { id, n });
    await call('evaluateAgentVersion', { id, n });
    await call('listVersionEvaluations', { id, n });
    await call('listVersionEvaluations', { id, n: '99' });
    await call('listVersionEvaluations', { id, n }, { query: '?cursor=x' });
    await call('promoteAgentVersion', { id, n });
    for (const id of [evaluation.id, 'evl_1']) await call('getEvaluation', { id });
    for (const id of [evaluation.id, 'evl_1']) await call('cancelEvaluation', { id });
    await call('getAgentVersion', { id, n });
    await call('compareAgentVersions', { id, a: '1', b: '2' });
    await call('compareAgentVersions', { id, a: '1', b: '9' });
    await call('compareDefinition', { id, n: '1' }, { body: GREETER, headers: YAML });
    await call('compareDefinition', { id, n: '9' }, { body: GREETER, headers: YAML });
    await call('validateDefinition', {}, { body: GREETER, headers: YAML });
    await call('validateDefinition', {}, { body: 'name: Nope\nstpes: []', headers: YAML });
    const draft = { definition: GREETER, input: { name: 'Ada' } };
    for (const body of [draft, { ...draft, input: {} }, { definition: '{' }]) await call('startDraftRun', {}, { body });
    await call('getAgentSchema');
    await call('archiveAgent', { id });
    await call('archiveAgent', { id: 'agt_1' });
    await call('promoteAgentVersion', { id, n: '1' });
    await call('evaluateAgentVersion', { id, n });
    await call('pauseAgent', { id });
    await call('resumeAgent', { id });
    await call('createAgentVersion', { id }, { body: GREETER, headers: YAML });
  });

  it('of runs', async () => {
    const { body: agent } = await call('createAgent', {}, { body: greeterNamed('runner'), headers: YAML });
    const body = { input: { name: 'Ada' } };
    const { body: run } = await call('startRun', { id: agent.id }, { body, headers: { 'Idempotency-Key': 'k' } });
    await call('startRun', { id: agent.id }, { body, headers: { 'Idempotency-Key': 'k' } });
    await call('startRun', { id: agent.id }, { body: { input: { name: 'Eve' } }, headers: { 'Idempotency-Key': 'k' } });
    await call('startRun', { id: agent.id }, { body: { input: {} } });
    await call('startRun', { id: agent.id }, { body: '{', headers: { 'Content-Type': 'application/json' } });
    await call('startRun', { id: agent.id }, { body, key: await tenant.key('viewer') });
    const inProduction = { body: { ...body, mode: 'production' }, key: await tenant.key('operator', 'test') };
    await call('startRun', { id: agent.id }, inProduction);
    await call('startRun', { id: 'agt_1' }, { body });
    await call('listRuns');
    await call('listRuns', {}, { query: '?status=done' });
    await call('getRun', { id: run.id });
    await call('getRun', { id: 'run_1' });
    await call('getRunTrace', { id: run.id });
    await call('getRunTrace', { id: run.id }, { query: '?fields=summary&limit=1' });
    await call('getRunTrace', { id: run.id }, { query: '?limit=0' });
    await call('getRunTrace', { id: 'run_1' });
    for (const id of [run.id, 'run_1']) await call('listRunFiles', { id });
    await call('listRunFiles', { id: run.id }, { query: '?limit=0' });
    await call('getRunTraceStep', { id: run.id, n: '1' });
    await call('getRunTraceStep', { id: run.id, n: '9' });
    for (const id of [run.id, 'run_1']) await call('getRunTranscript', { id });
    for (const id of [run.id, 'run_1']) await call('getRunPlan', { id });
    await call('cancelRun', { id: run.id }, { body: { reason: 'enough' } });
    await call('getRunTrace', { id: run.id });
    await call('startRun', { id: agent.id }, { body, headers: { 'Idempotency-Key': 'k', Prefer: 'wait=5' } });
    const { body: state } = await call('readChanges');
    await call('readChanges', {}, { query: `?since=${state.next}` });
    await call('readChanges', {}, { query: '?since=x' });
    await call('cancelRun', { id: 'run_1' });
    await call('cancelRun', { id: run.id }, { body: '[]', headers: { 'Content-Type': 'application/json' } });
    const { body: ended } = await call('startRun', { id: agent.id }, { body });
    await api.execute(
      `update runs set status = 'failed', wake_at = null, ended_at = now(), error = '{"code": "tool_error", "message": "x", "step": null}' where id = '${ended.id}'`,
    );
    await call('getRun', { id: ended.id });
    await call('cancelRun', { id: ended.id });
    await call('followRun', { id: ended.id });
    await call('followRun', { id: ended.id }, { headers: { 'Last-Event-ID': 'end' } });
    await call('followRun', { id: ended.id }, { headers: { 'Last-Event-ID': 'x' } });
    await call('followRun', { id: 'run_1' });
    await call('replayRun', { id: ended.id }, { body: { mode: 'test', tool_results: 'live', from_step: 1 } });
    await call('replayRun', { id: ended.id }, { body: { from_step: 'nope' } });
    await call('replayRun', { id: ended.id }, { body: { from_step: [] } });
    await call('replayRun', { id: 'run_1' });
    const { body: bulk } = await call('createBulkAction', {}, { body: { action: 'cancel', ids: [ended.id] } });
    await call('createBulkAction', {}, { body: { action: 'replay' } });
    await call('getBulkAction', { id: bulk.id });
    await api.execute(`update agents set status = 'archived' where id = '${agent.id}'`);
    await call('startRun', { id: agent.id }, { body });
  });

  it('of triggers', async () => {
    const definition = {
      name: 'triggered',
      triggers: [
        { id: 'hook', type: 'webhook', filter: 'body.ok' },
        { id: 'daily', type: 'schedule', cron: '0 7 * * *' },
      ],
      steps: [{ id: 'a', output: 1 }],
    };
    const { body: agent } = await call('createAgent', {}, { body: definition });
    const { id } = agent;
    const trigger = (body: unknown, headers: Record<string, string> = {}) =>
      call(
        'triggerAgent',
        { id },
        {
          key: undefined,
          body: JSON.stringify(body),
          headers: {
            'Content-Type': 'application/json',
            'X-Service-Webhook-Secret': agent.webhook_secret,
            ...headers,
          },
        },
      );
    await trigger({ ok: true }, { 'Idempotency-Key': 'k' });
    await trigger({ ok: true, n: 1 }, { 'Idempotency-Key': 'k' });
    await trigger({ ok: false });
    await trigger({});
    await trigger([]);
    await trigger({}, { 'X-Service-Webhook-Secret': 'wrong' });
    await api.execute(`update workspaces set state = 'stopped', epoch = epoch + 1`);
    await trigger({ ok: true });
    await api.execute(`update workspaces set state = 'active', epoch = epoch + 1`);
    await call('pauseAgent', { id });
    await trigger({ ok: true });
    await call('listTriggers', { id });
    await call('listTriggers', { id: 'agt_1' });
    await call('listTriggerEvents', { id });
    await call('listTriggerEvents', { id }, { query: '?outcome=started,error&trigger=hook' });
    await call('listTriggerEvents', { id }, { query: '?outcome=done' });
    await call('listTriggerEvents', { id: 'agt_1' });
    await call('rotateAgentWebhookSecret', { id }, { body: { grace_seconds: 0 } });
    await call('rotateAgentWebhookSecret', { id }, { body: { grace_seconds: -1 } });
    await call('rotateAgentWebhookSecret', { id: 'agt_1' });
    await call('runTriggerNow', { id, trigger_id: 'daily' }, { headers: { 'Idempotency-Key': 'now' } });
    await call('runTriggerNow', { id, trigger_id: 'daily' }, { headers: { 'Idempotency-Key': 'now' } });
    await call('runTriggerNow', { id, trigger_id: 'hook' });
    await call('runTriggerNow', { id, trigger_id: 'none' });
  });

  it('of webhooks that a sender signs', () => ofSignedWebhooks(call));
  it('of callbacks', async () => {
    expect(await ofCallbacks(call, api)).toEqual([400, 400, 422, 202, 410, 404]);
  });
  it('of the state of agents and of the workspace', () => ofState(call, api, tenant));
  it('of connections', () => ofConnections(call, tenant));

  it('of approvals', async () => {
    const { body: agent } = await call('createAgent', {}, { body: greeterNamed('asker'), headers: YAML });
    const { body: run } = await call('startRun', { id: agent.id }, { body: { input: { name: 'Ada' } } });
    const approvalId = `apr_${String(run.id).slice('run_'.length)}`;
    const parameters = { id: run.id, approval_id: approvalId };
    await api.execute(anOpenApproval(run.id, approvalId));
    await call('getRun', { id: run.id });
    await call('listApprovals', {}, { query: '?status=open' });
    await call('listApprovals', {}, { query: '?mine=true&sort=expires_at' });
    await call('getApproval', { id: approvalId });
    await call('getApproval', { id: 'apr_1' });
    await call('listApprovals', {}, { query: '?status=done' });
    await call('listRunApprovals', { id: run.id });
    await call('listRunApprovals', { id: 'run_1' });
    await call('getRunApproval', parameters);
    await call('getRunApproval', { ...parameters, approval_id: 'apr_1' });
    const decide = (body: object, options: CallOptions = {}) =>
      call('decideRunApproval', parameters, { body, ...options });
    await decide({ decision: 'approve' }, { key: await tenant.key('operator') });
    await decide({ decision: 'approve' }, { key: await tenant.key('viewer') });
    await decide({ decision: 'edit', request: {} });
    await decide({ decision: 'yes' });
    await decide({ decision: 'retry' });
    await decide({ decision: 'reject', comment: 'no' });
    await decide({ decision: 'approve' });
    await call('decideRunApproval', { ...parameters, approval_id: 'apr_1' }, { body: { decision: 'approve' } });
  });

  it('of members and groups', async () => {
    const { body: member } = await call('createMember', {}, { body: { email: 'eve@example.com', role: 'viewer' } });
    await call('createMember', {}, { body: { email: 'eve@example.com', role: 'viewer' } });
    await call('createMember', {}, { body: { email: 'eve' } });
    const { body: members } = await call('listMembers');
    const { id: last } = members.data.find(({ role }: { role: string }) => role === 'admin');
    await call('getMember', { id: member.id });
    await call('getMember', { id: 'mem_1' });
    await call('changeMember', { id: member.id }, { body: { role: 'operator' } });
    await call('changeMember', { id: last }, { body: { role: 'operator' } });
    await call('createGroup', {}, { body: { name: 'ops', members: ['eve@example.com'] } });
    await call('createGroup', {}, { body: { name: 'ops', members: [] } });
    await call('createGroup', {}, { body: { name: 'ops', members: ['who@example.com'] } });
    await call('listGroups');
    await call('getGroup', { name: 'ops' });
    await call('getGroup', { name: 'none' });
    await call('changeGroup', { name: 'ops' }, { body: { members: [] } });
    await call('changeGroup', { name: 'none' }, { body: { members: [] } });
    await call('deleteGroup', { name: 'ops' });
    await call('deleteGroup', { name: 'ops' });
    await call('removeMember', { id: member.id });
    await call('removeMember', { id: last });
  });

  it('of saved views', () => ofSavedViews(call, tenant));

  it('of keys and secrets', async () => {
    const body = { name: 'ci', kind: 'live', role: 'operator', member: 'admin@example.com' };
    const headers = { 'Idempotency-Key': 'ci' };
    const { body: key } = await call('createApiKey', {}, { body, headers });
    await call('createApiKey', {}, { body, headers });
    await call('createApiKey', {}, { body: { ...body, role: 'viewer' }, headers });
    await call('createApiKey', {}, { body: { ...body, member: 'nobody@example.com' } });
    await call('createApiKey', {}, { body: { ...body, kind: 'dead' } });
    await call('createApiKey', {}, { body, key: await tenant.key('builder') });
    await call('listApiKeys');
    await call('listApiKeys', {}, { query: '?limit=1' });
    await call('getApiKey', { id: key.id });
    await call('getApiKey', { id: 'key_1' });
    await call('rotateApiKey', { id: key.id }, { body: { grace_seconds: 60 } });
    await call('rotateApiKey', { id: key.id });
    await call('rotateApiKey', { id: key.id }, { body: { grace_seconds: -1 } });
    await call('getApiKey', { id: key.id });
    await call('revokeApiKey', { id: key.id });
    await call('revokeApiKey', { id: key.id });
    await call('putSecret', { name: 'TOKEN' }, { body: { value: 'x' } });
    await call('putSecret', { name: 'TOKEN' }, { body: { value: '' } });
    await call('putSecret', { name: 'TOKEN' }, { body: { value: 'x' }, key: await tenant.key('operator') });
    await call('listSecrets');
    await call('deleteSecret', { name: 'TOKEN' });
    await call('deleteSecret', { name: 'TOKEN' });
  });

  it('of knowledge bases', async () => {
    const { body: base } = await call('createKnowledgeBase', {}, { body: { name: 'policies' } });
    await call('createKnowledgeBase', {}, { body: { name: 'policies' } });
    await call('createKnowledgeBase', {}, { body: { name: 'x', settings: { language: 'none' } } });
    await call('listKnowledgeBases');
    await call('listKnowledgeBases', {}, { query: '?limit=0' });
    await call('getKnowledgeBase', { id: base.id });
    await call('getKnowledgeBase', { id: 'kb_1' });
    await call('changeKnowledgeBase', { id: base.id }, { body: { description: 'What we promise' } });
    await call('changeKnowledgeBase', { id: base.id }, { body: { region: 'local' } });
    await call('replaceKnowledgeBaseAccess', { id: base.id }, { body: { users: ['ada@example.com'] } });
    await call('replaceKnowledgeBaseAccess', { id: base.id }, { body: { users: ['ada'] } });
    await call('replaceKnowledgeBaseAccess', { id: base.id }, { body: {}, headers: { 'If-Match': '"0"' } });
    await call('getKnowledgeBaseAccess', { id: base.id });
    const knowledge = await KnowledgeScene.within(api.databaseUrl, tenant.workspaceId);
    await knowledge.documents(base.id, { refunds: '# Payment\n\nRefunds are paid within five days.' });
    await knowledge.close();
    const { body: documents } = await call('listDocuments', { id: base.id });
    await call('listDocuments', { id: base.id }, { query: '?limit=0' });
    await call('getDocument', { id: base.id, document_id: documents.data[0].id });
    await call('getDocument', { id: base.id, document_id: base.id });
    await call('searchKnowledgeBase', { id: base.id }, { body: { query: 'refunds' } });
    await call('searchKnowledgeBase', { id: base.id }, { body: { query: '', top_k: 0 } });
    await call('searchKnowledgeBase', { id: 'kb_1' }, { body: { query: 'refunds' } });
    await ofSources(base.id);
    await call('deleteKnowledgeBase', { id: base.id });
    await call('deleteKnowledgeBase', { id: base.id });
  });

  async function ofSources(id: string): Promise<void> {
    const body = { connector: 'upload', config: { schedule: 'daily' } };
    const headers = { 'Idempotency-Key': 'source' };
    const { body: source } = await call('createSource', { id }, { body, headers });
    await call('createSource', { id }, { body, headers });
    await call('createSource', { id }, { body: { connector: 'website' }, headers });
    await call('createSource', { id }, { body: { connector: 'google_drive' } });
    await ofAuthorisations(call, id, source.id);
    const dsn = '${{ secrets.NONE }}';
    const database = { dsn, query: 'select 1 as id', key_column: 'id' };
    await call('createSource', { id }, { body: { connector: 'postgres', config: database } });
    await call('createSource', { id: 'kb_1' }, { body });
    await call(
      'testSource',
      { id },
      { body: { connector: 'website', config: { start_urls: ['http://127.0.0.1:9/'] } } },
    );
    await call('testSource', { id }, { body });
    await call('listSources', { id });
    await call('listSources', { id }, { query: '?cursor=x' });
    const place = { id, source_id: source.id };
    await call('pushDocument', place, { body: { name: 'a.md', text: '# A' } });
    const sync = await call('pushDocument', place, {
      body: '# B',
      query: '?name=b.md',
      headers: { 'Content-Type': 'text/markdown' },
    });
    await call('pushDocument', place, { body: 'x', query: '?name=b', headers: { 'Content-Type': 'image/png' } });
    await call('pushDocument', place, { body: {} });
    await call('pushDocument', place, { body: { file: newId('file') } });
    await call('removeDocument', place, { query: '?name=a.md' });
    await call('removeDocument', place, { query: '?name=a.md' });
    await call('syncSource', place);
    await call('cancelSync', { ...place, sync_id: sync.body.id });
    await call('confirmDeletions', { ...place, sync_id: sync.body.id });
    await call('syncSource', place);
    await call('syncSource', { id, source_id: 'src_1' });
    await call('listSyncs', place);
    await call('getSync', { ...place, sync_id: sync.body.id });
    await call('getSync', { ...place, sync_id: 'syn_1' });
    await call('getSyncInBase', { id, sync_id: sync.body.id });
    const held = `held_deletions = 1, status = 'completed_with_errors', ended_at = now(), due_at = null`;
    await api.execute(`update knowledge_syncs set ${held} where source_id = '${source.id}' and ended_at is null`);
    const { body: shown } = await call('getSource', place);
    await call('confirmDeletions', { ...place, sync_id: shown.last_sync.id });
    await call('changeSource', place, { body: { schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' } } });
    await call('changeSource', place, { body: { schedule: 'never' } });
    await call('changeSource', place, { body: { status: 'paused' } });
    await call('deleteSource', place);
    await call('getSource', place);
  }

  it('of webhook endpoints and their deliveries', () => ofWebhookEndpoints(call, tenant));

  it('of the workspace and the service', async () => {
    await call('getMe');
    await call('getMe', {}, { key: 'aas_live_x' });
    await call('getRunStatistics', {}, { query: '?group_by=agent&bucket=1h' });
    await call('getErrorGroups', {}, { query: '?mode=production' });
    await call('getErrorGroups', {}, { query: '?since=2020-01-01T00:00:00Z' });
    for (const id of ['getUsage', 'listConnectors', 'listModels', 'getWorkspace', 'getReadiness']) await call(id);
    await api.execute(
      "insert into workers (id, host, pid, lease_until) values ('w', 'h', 1, clock_timestamp() + interval '1 hour')",
    );
    for (const id of ['getReadiness', 'getHealth', 'getMetrics', 'getOpenApiDocument']) await call(id);
    models.respondWith({ calls: [{ name: 'echo', input: { word: 'ready' } }] });
    const headers = { Accept: 'application/json, text/event-stream' };
    await call('callMcpServer', {}, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers });
    await call('callMcpServer', {}, { key: 'aas_live_x' });
    await call('callAuthoringServer', {}, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers });
    await call('checkModel', {}, { body: { provider: 'own', name: 'm' } });
    await call('checkModel', {}, { body: { provider: 'other', name: 'm' } });
  });

  it('of the emergency stop and the audit log', async () => {
    await call('stopWorkspace', {}, { body: { reason: 'smoke' } });
    await call('stopWorkspace', {}, { body: { runs: 'kill' } });
    await call('stopWorkspace', {}, { key: await tenant.key('builder') });
    await call('getWorkspace');
    await call('resumeWorkspace');
    await call('resumeWorkspace', {}, { key: await tenant.key('viewer') });
    await call('listAuditEvents', {}, { query: '?limit=1' });
    await call('listAuditEvents', {}, { query: '?cursor=x' });
  });

  it('of files', () => ofFiles(call));
  it('of fixtures', () => ofFixtures(call));

  it('of sign-in and sessions', async () => {
    const page = new ConsoleClient(api);
    const inPage = async (id: string, body?: unknown, parameters: Record<string, string> = {}) => {
      const headers = { ...page.headers, Cookie: page.cookieHeader };
      const answer = await call(id, parameters, { key: undefined, body, headers });
      page.keepCookies(answer.headers);
      return answer;
    };
    await call('getSignInMethods', {}, { key: undefined });
    await inPage('signInWithKey', { api_key: 'aas_live_x' });
    await inPage('signInWithKey', { api_key: tenant.adminKey });
    await inPage('getMe');
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const { body: authorization } = await inPage('authorizeCli', { challenge, name: 'laptop' });
    await inPage('redeemCliCode', { code: authorization.code, verifier });
    await inPage('redeemCliCode', { code: authorization.code, verifier });
    const { body: guest } = await call('createMember', {}, { body: { email: 'guest@example.com', role: 'viewer' } });
    const { body: invitation } = await call('inviteMember', { id: guest.id });
    await inPage('signInWithLink', { token: invitation.url.split('#')[1] });
    await inPage('signInWithLink', { token: invitation.url.split('#')[1] });
    await inPage('requestSignInMail', { email: 'guest@example.com' });
    const code = await eventually(() => {
      const text = relay.mails.find(({ headers }) => headers.subject === 'Your sign-in code')?.raw ?? '';
      expect(text).toMatch(/code is \d{6}/);
      return /code is (\d{6})/.exec(text)?.[1];
    });
    await inPage('signInWithCode', { email: 'guest@example.com', code: 'x' });
    await inPage('signInWithCode', { email: 'guest@example.com', code });
    await ofMcpOauth(call, inPage, api);
    await inPage('switchWorkspace', { workspace: tenant.workspaceId });
    await inPage('switchWorkspace', { workspace: 'wsp_1' });
    const { body: sessions } = await inPage('listSessions');
    await inPage('endSession', undefined, { id: 'ses_1' });
    await inPage('endSession', undefined, { id: sessions.data[0].id });
    await inPage('getMe');
    await inPage('signOut');
  });

  it('of every operation, each success included', () => {
    for (const { operation } of contract.operations()) {
      const successes = Object.keys(operation.responses)
        .filter((status) => status.startsWith('2'))
        .map(Number);
      expect([operation.operationId, [...(seen.get(operation.operationId) ?? [])]]).toEqual([
        operation.operationId,
        expect.arrayContaining(successes),
      ]);
    }
  });
});
