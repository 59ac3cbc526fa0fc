import { RouteTable, templateOf } from '../../apps/api/src/http/route-table.js';
import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import { type ApiAnswer, type CallOptions, startApi, type TestApi, type TestTenant } from '../support/api.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const YAML = { 'Content-Type': 'application/yaml' };

describe('the OpenAPI document', () => {
  let database: TestDatabase;
  let api: TestApi;
  let tenant: TestTenant;
  let contract: OpenApiContract;

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await startApi({ databaseUrl: database.url });
    tenant = await api.newTenant();
    contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
  });

  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  it('is OpenAPI 3.1 and describes exactly the routes that are served', () => {
    expect(contract.document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(contract.document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const routes = api.app
      .get(RouteTable)
      .all()
      .map(({ method, path }) => `${method} ${templateOf(path)}`);
    expect(
      contract
        .operations()
        .map(({ route }) => route)
        .sort(),
    ).toEqual([...routes].sort());
  });

  it('names every operation once, sorts it under a tag that exists, and says who may call it', () => {
    const operations = contract.operations();
    const tags = contract.document.tags.map((tag) => tag.name);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { route, operation } of operations) {
      expect([route, operation.summary]).toEqual([route, expect.stringMatching(/^\S.+[^.]$/)]);
      expect(operation.tags).toHaveLength(1);
      expect(tags).toContain(operation.tags[0]);
      for (const name of operation.security.flatMap((each) => Object.keys(each))) {
        expect(contract.document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it('declares every parameter of a path, each parameter once', () => {
    for (const { route, path, operation } of contract.operations()) {
      const parameters = operation.parameters ?? [];
      const names = parameters.map((each) => `${each.in} ${each.name}`);
      expect([route, new Set(names).size]).toEqual([route, names.length]);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = parameters.filter((each) => each.in === 'path');
      expect([route, declared.map((each) => each.name)]).toEqual([route, inPath]);
      expect(declared.every((each) => each.required)).toBe(true);
    }
  });

  it('describes for every operation a success and its failures, all with schemas that compile', () => {
    for (const { route, path, method, operation } of contract.operations()) {
      const statuses = Object.keys(operation.responses);
      expect([route, statuses.some((status) => status.startsWith('2'))]).toEqual([route, true]);
      const expected = operation.security.length > 0 ? ['400', '401', '500', '503'] : ['400', '500', '503'];
      expect(statuses).toEqual(expect.arrayContaining(expected));
      for (const [status, response] of Object.entries(operation.responses)) {
        const types = Object.keys(response.content ?? {});
        const hasBody = status !== '204';
        expect([route, status, response.description.length > 0, types.length > 0]).toEqual([
          route,
          status,
          true,
          hasBody,
        ]);
        expect([route, status, types.includes('application/problem+json')]).toEqual([
          route,
          status,
          Number(status) >= 400,
        ]);
        for (const type of types) {
          contract.schemaAt('paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
        }
      }
    }
    for (const name of Object.keys(contract.document.components.schemas))
      contract.schemaAt('components', 'schemas', name);
  });

  it('has only schemas whose required members exist, and refers to nothing that is missing', () => {
    for (const [name, schema] of Object.entries(contract.document.components.schemas)) {
      const properties = Object.keys(schema.properties ?? {});
      expect([name, properties]).toEqual([name, expect.arrayContaining((schema.required ?? []) as string[])]);
    }
    const text = JSON.stringify({ ...contract.document, components: { ...contract.document.components, schemas: {} } });
    for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(contract.document).toHaveProperty((pointer ?? '').split('/'));
    }
  });

  it('describes the bodies of definitions by the schema that editors use, for which its example is valid JSON and YAML alike', async () => {
    const bodies = contract.operations().filter(({ operation }) => operation.requestBody?.content['application/yaml']);
    expect(bodies.map(({ operation }) => operation.operationId).sort()).toEqual([
      'createAgent',
      'createAgentVersion',
      'validateDefinition',
    ]);
    const { body: schema } = await api.call('GET', '/v1/schemas/agent.v1.json');
    expect(contract.document.components.schemas.AgentDefinition).toEqual(schema);
    for (const { operation } of bodies) {
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        expect(media.schema).toEqual({ $ref: '#/components/schemas/AgentDefinition' });
        const example = media.examples?.greeter?.value;
        const options = { key: tenant.adminKey, body: String(example), headers: YAML };
        expect((await api.call('POST', '/v1/definitions/validate', options)).body).toMatchObject({ valid: true });
      }
    }
  });

  it('has problem examples that keep its own schema', () => {
    const problem = contract.schemaAt('components', 'schemas', 'Problem');
    const { examples } = contract.document.components as unknown as { examples: Record<string, { value: unknown }> };
    for (const [code, { value }] of Object.entries(examples)) {
      expect([code, problem(value), problem.errors]).toEqual([code, true, null]);
      expect(value).toMatchObject({ code });
    }
  });

  describe('is kept by the answers', () => {
    const seen = new Map<string, Set<number>>();

    /** Calls an operation by its id and holds the answer against the document. */
    async function call(
      id: string,
      parameters: Record<string, string> = {},
      options: CallOptions & { query?: string } = {},
    ): Promise<ApiAnswer> {
      const described = contract
        .operations()
        .find(({ operation }) => operation.operationId === id) as DescribedOperation;
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
      await call('validateDefinition', {}, { body: GREETER, headers: YAML });
      await call('validateDefinition', {}, { body: 'name: Nope\nstpes: []', headers: YAML });
      await call('getAgentSchema');
      await api.execute(`update agents set status = 'archived' where id = '${id}'`);
      await call('pauseAgent', { id });
      await call('resumeAgent', { id });
      await call('createAgentVersion', { id }, { body: GREETER, headers: YAML });
    });

    it('of runs', async () => {
      const { body: agent } = await call('createAgent', {}, { body: greeterNamed('runner'), headers: YAML });
      const body = { input: { name: 'Ada' } };
      const { body: run } = await call('startRun', { id: agent.id }, { body, headers: { 'Idempotency-Key': 'k' } });
      await call('startRun', { id: agent.id }, { body, headers: { 'Idempotency-Key': 'k' } });
      await call(
        'startRun',
        { id: agent.id },
        { body: { input: { name: 'Eve' } }, headers: { 'Idempotency-Key': 'k' } },
      );
      await call('startRun', { id: agent.id }, { body: { input: {} } });
      await call('startRun', { id: agent.id }, { body: '{', headers: { 'Content-Type': 'application/json' } });
      await call('startRun', { id: agent.id }, { body, key: await tenant.key('viewer') });
      await call(
        'startRun',
        { id: agent.id },
        { body: { ...body, mode: 'production' }, key: await tenant.key('operator', 'test') },
      );
      await call('startRun', { id: 'agt_1' }, { body });
      await call('listRuns');
      await call('listRuns', {}, { query: '?status=done' });
      await call('getRun', { id: run.id });
      await call('getRun', { id: 'run_1' });
      await call('getRunTrace', { id: run.id });
      await call('getRunTrace', { id: 'run_1' });
      await call('cancelRun', { id: run.id }, { body: { reason: 'enough' } });
      await call('getRunTrace', { id: run.id });
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
      await api.execute(`update agents set status = 'archived' where id = '${agent.id}'`);
      await call('startRun', { id: agent.id }, { body });
    });

    it('of approvals', async () => {
      const { body: agent } = await call('createAgent', {}, { body: greeterNamed('asker'), headers: YAML });
      const { body: run } = await call('startRun', { id: agent.id }, { body: { input: { name: 'Ada' } } });
      const approvalId = `apr_${String(run.id).slice('run_'.length)}`;
      const parameters = { id: run.id, approval_id: approvalId };
      await api.execute(anOpenApproval(run.id, approvalId));
      await call('getRun', { id: run.id });
      await call('listApprovals', {}, { query: '?status=open' });
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

    it('of the workspace and the service', async () => {
      await call('getMe');
      await call('getMe', {}, { key: 'aas_live_x' });
      await call('getWorkspace');
      await call('getHealth');
      await call('getReadiness');
      await api.execute(
        "insert into workers (id, host, pid, lease_until) values ('w', 'h', 1, clock_timestamp() + interval '1 hour')",
      );
      await call('getReadiness');
      await call('getMetrics');
      await call('getOpenApiDocument');
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

  describe('as a page', () => {
    it('is readable at /docs, with nothing from any other host', async () => {
      const page = await api.call('GET', '/docs');
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
      const sources = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) {
        const asset = await api.call('GET', new URL(source, `${api.url}/docs`).pathname);
        expect([source, asset.status]).toEqual([source, 200]);
        expect(new URL(source, `${api.url}/docs`).origin).toBe(api.url);
      }
    });

    it('shows this very document', async () => {
      const { body } = await api.call('GET', '/docs/swagger-ui-init.js');
      for (const { operation } of contract.operations()) expect(body).toContain(operation.operationId);
    });
  });
});

/** Makes the queued run wait for an admin's approval, as a worker would. */
function anOpenApproval(runId: string, approvalId: string): string {
  return `
    update runs set status = 'waiting_approval', wake_at = null, step_n = 2 where id = '${runId}';
    insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch)
      select id, 2, workspace_id, 'sign', 'approval', 'awaiting_approval', 1, gen_random_uuid(), 1 from runs where id = '${runId}';
    insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required,
        self_approval, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, expires_at)
      select '${approvalId}', workspace_id, id, agent_id, version, 2, 'step', 'board', 'approval: board', '{}', 1,
        true, '{approve,reject}', 'fail', 'fail', '{}', false, now() + interval '1 hour' from runs where id = '${runId}'`;
}
