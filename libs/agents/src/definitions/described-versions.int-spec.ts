import { createHash } from 'node:crypto';
import { DomainError, type JsonObject } from '@app/kernel';
import { WorkspaceBootstrapService } from '@app/workspace';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { crmDocument } from '../../../../test/fixtures/crm-openapi.js';
import { Ledger } from '../../../../test/support/ledger.js';
import { McpTestServer } from '../../../../test/support/mcp-test-server.js';
import { NoWorkOfAgents } from '../testing/no-work-of-agents.module.js';
import { startModules } from '../../../../test/support/module-app.js';
import {
  type Actor,
  AgentsModule,
  AgentsService,
  AgentVersionsService,
  CompiledVersionsService,
  ToolDescriberService,
} from '../index.js';

const DOCUMENT = crmDocument();
const HASH = createHash('sha256').update(JSON.stringify(DOCUMENT)).digest('hex');

describe('versions whose tools describe themselves', () => {
  let close: () => Promise<void>;
  let service: Ledger;
  let mcp: McpTestServer;
  let app: TestingModule;
  let ada: Actor;

  beforeAll(async () => {
    [service, mcp] = await Promise.all([Ledger.start(), McpTestServer.start()]);
    const env = { EGRESS_ALLOW: `${service.egressEntry},${mcp.egressEntry}` };
    ({ app, close } = await startModules([AgentsModule, NoWorkOfAgents], { env }));
  });

  afterAll(async () => {
    await close();
    await Promise.all([service.close(), mcp.close()]);
  });

  beforeEach(async () => {
    service.reset();
    mcp.reset();
    service.always('/openapi.json', { body: DOCUMENT });
    const bootstrap = app.get(WorkspaceBootstrapService, { strict: false });
    const { workspaceId } = await bootstrap.createWorkspace({ name: 'acme', adminEmail: 'ada@example.com' });
    ada = { workspaceId, email: 'ada@example.com' };
  });

  const crm = (settings: JsonObject = {}): JsonObject => ({
    name: 'crm',
    type: 'openapi',
    spec: { url: `${service.url}/openapi.json`, sha256: HASH },
    include: ['getCustomer'],
    ...settings,
  });
  const mail = (settings: JsonObject = {}): JsonObject => ({
    name: 'mail',
    type: 'mcp',
    transport: 'streamable_http',
    url: mcp.url,
    include: ['send_reply'],
    ...settings,
  });
  const source = (tools: JsonObject[], steps: JsonObject[] = [{ id: 'a', output: 1 }]) =>
    ({ text: JSON.stringify({ name: 'desk', tools, steps }), format: 'json' }) as const;
  const create = (...given: Parameters<typeof source>) => app.get(AgentsService).create(ada, source(...given));
  const refusalOf = async (...given: Parameters<typeof source>): Promise<DomainError> => {
    const error: unknown = await create(...given).catch((reason: unknown) => reason);
    if (error instanceof DomainError) return error;
    throw new Error('the definition was accepted');
  };
  const operation = async (agentId: string, name: string) =>
    (await app.get(CompiledVersionsService).get(ada.workspaceId, agentId, 1)).operations.get(name);

  it('keep what the tools said when they were created, whatever they say later', async () => {
    const { agent } = await create([crm(), mail()]);
    service.always('/openapi.json', { status: 404 });
    mcp.tools = [];
    expect(await operation(agent.id, 'crm.getCustomer')).toMatchObject({ scope: 'read', http: { method: 'GET' } });
    expect(await operation(agent.id, 'mail.send_reply')).toMatchObject({
      scope: 'write',
      request: { schema: { required: ['text'] } },
    });
    expect(service.callsOf('/openapi.json')).toHaveLength(1);
  });

  it('are refused when the document does not match the hash, with the actual hash', async () => {
    const spec = { url: `${service.url}/openapi.json`, sha256: '0'.repeat(64) };
    expect(await refusalOf([crm({ spec })])).toMatchObject({
      code: 'definition_invalid',
      errors: [{ pointer: '/tools/0/spec/sha256', suggestion: expect.stringContaining(HASH), line: 1 }],
    });
  });

  it('pin the further documents to which the document refers', async () => {
    const { Id } = (DOCUMENT.components as { parameters: JsonObject }).parameters;
    const further = JSON.stringify({ Id });
    const parameters = { Id: { $ref: 'parameters.json#/Id' } };
    const body = { ...DOCUMENT, components: { ...(DOCUMENT.components as JsonObject), parameters } };
    service.always('/openapi.json', { body });
    service.always('/parameters.json', { body: { Id } });
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const spec = (sha256: string) => ({
      url: `${service.url}/openapi.json`,
      sha256: hash(JSON.stringify(body)),
      documents: [{ url: `${service.url}/parameters.json`, sha256 }],
    });
    const { agent } = await create([crm({ spec: spec(hash(further)) })]);
    expect(await operation(agent.id, 'crm.getCustomer')).toMatchObject({ request: { schema: { required: ['id'] } } });
    expect(await refusalOf([crm({ spec: spec('0'.repeat(64)) })])).toMatchObject({
      errors: [{ pointer: '/tools/0/spec/documents/0/sha256', suggestion: expect.stringContaining(hash(further)) }],
    });
    service.always('/parameters.json', { status: 503 });
    expect(await refusalOf([crm({ include: ['gone'], spec: { ...spec(HASH), sha256: HASH } })])).toMatchObject({
      errors: [{ pointer: '/tools/0/spec/sha256' }],
    });
  });

  it('are refused when an included operation is not there, with the nearest that is', async () => {
    const refusal = await refusalOf([crm({ include: ['getCustomers'] }), mail({ include: ['send_repli'] })]);
    expect(refusal).toMatchObject({
      code: 'definition_invalid',
      errors: [
        { pointer: '/tools/0/include/0', suggestion: expect.stringContaining('getCustomer') },
        { pointer: '/tools/1/include/0', suggestion: expect.stringContaining('send_reply') },
      ],
    });
  });

  it('are refused when a step does not fit what the operation takes', async () => {
    expect(await refusalOf([crm()], [{ id: 'a', tool: 'crm.getCustomer', with: { identity: 1 } }])).toMatchObject({
      code: 'definition_invalid',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '/steps/0/with/identity' })]),
    });
  });

  it('are refused when they want a program that the operator does not allow', async () => {
    const tool = { name: 'files', type: 'mcp', transport: 'stdio', command: '/bin/sh', include: ['x'] };
    expect(await refusalOf([tool])).toMatchObject({
      code: 'definition_invalid',
      errors: [{ pointer: '/tools/0/command', suggestion: expect.stringContaining('MCP_STDIO_COMMANDS') }],
    });
  });

  it('may bring the document themselves', async () => {
    const { agent } = await create([crm({ spec: { document: crmDocument('https://crm.example') as JsonObject } })]);
    expect(await operation(agent.id, 'crm.getCustomer')).toMatchObject({ http: { baseUrl: 'https://crm.example' } });
    expect(service.calls).toEqual([]);
  });

  it('are accepted while a server does not answer, and completed once, when a run needs it', async () => {
    service.always('/openapi.json', { status: 503 });
    const { agent } = await create([crm()]);
    const complete = () => app.get(ToolDescriberService).describeVersion(ada.workspaceId, agent.id, 1);
    expect((await complete()).operations.get('crm.getCustomer')?.http).toBeNull();
    service.always('/openapi.json', { body: { ...DOCUMENT, info: {} } });
    expect((await complete()).operations.get('crm.getCustomer')?.http).toBeNull();
    service.always('/openapi.json', { body: DOCUMENT });
    expect((await complete()).operations.get('crm.getCustomer')?.http).not.toBeNull();
    await complete();
    expect(service.callsOf('/openapi.json')).toHaveLength(4);
    const rows = await app
      .get(DataSource)
      .query<unknown[]>('select from agent_version_tools where agent_id = $1', [agent.id]);
    expect(rows).toHaveLength(1);
  });

  it('carry into a run why the operations of a tool are not known', async () => {
    service.always('/openapi.json', { status: 503 });
    mcp.refuse = { status: 401, body: 'unknown token t0ken-value' };
    const { agent, warnings } = await create([crm(), mail({ headers: { 'x-token': 't0ken-value' } })]);
    expect(JSON.stringify(warnings)).toContain('HTTP status 401: unknown token [redacted]');
    const complete = async () =>
      (await app.get(ToolDescriberService).describeVersion(ada.workspaceId, agent.id, 1)).tools;
    expect((await complete()).get('crm')).toMatchObject({ unknownBecause: expect.stringContaining('503') });
    expect((await complete()).get('mail')).toMatchObject({ unknownBecause: expect.stringContaining('401') });
    mcp.refuse = undefined;
    mcp.tools = [];
    expect((await complete()).get('mail')).toMatchObject({ unknownBecause: expect.stringContaining('send_reply') });
  });

  it('can use a tool of a server beside another that is broken', async () => {
    const bad = { name: 'bad', inputSchema: {} } as (typeof mcp.tools)[number];
    mcp.tools = [bad, ...mcp.tools];
    const { agent, warnings } = await create([mail({ include: ['bad', 'send_reply'] })]);
    expect(warnings).toContainEqual(
      expect.objectContaining({ pointer: '/tools/0/include/0', detail: expect.stringContaining('type: object') }),
    );
    expect((await operation(agent.id, 'mail.bad'))?.request).toBeNull();
    expect((await operation(agent.id, 'mail.send_reply'))?.request).not.toBeNull();
  });

  it('are the same version when nothing but the document elsewhere has changed', async () => {
    const { agent } = await create([crm()]);
    service.always('/openapi.json', { body: {} });
    const again = await app.get(AgentVersionsService).create(ada, agent.id, source([crm()]));
    expect(again).toMatchObject({ created: false, version: { version: 1 } });
  });
});
