import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@app/kernel';
import { crmDocument } from '../fixtures/crm-openapi.js';
import { eventually } from '../support/eventually.js';
import { Ledger } from '../support/ledger.js';
import { McpTestServer } from '../support/mcp-test-server.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import type { TurnRequest } from '../support/model-server.js';

/** Returns the tools in a request to the model provider, by name. */
function offered({ body }: TurnRequest): Record<string, { description?: string; parameters: JsonObject }> {
  const tools = body.tools as { function: { name: string; description?: string; parameters: JsonObject } }[];
  return Object.fromEntries(tools.map(({ function: tool }) => [tool.name, tool]));
}

/** A model calls tools of every type. The tests check what the model provider receives. */
describe('the tools of a model', () => {
  let stage: ModelScene;
  let mcp: McpTestServer;
  let service: Ledger;
  let count = 0;

  beforeAll(async () => {
    [mcp, service] = await Promise.all([McpTestServer.start(), Ledger.start()]);
    stage = await ModelScene.start();
  });
  afterEach(() => {
    stage.reset();
    service.reset();
    mcp.reset();
  });
  afterAll(async () => {
    await stage.stop();
    await Promise.all([mcp.close(), service.close()]);
  });

  const agent = (more: JsonObject = {}): JsonObject => aModelAgent(service.url, more);
  const crm = (): JsonObject => {
    const document = crmDocument() as JsonObject;
    service.always('/openapi.json', { body: document });
    const sha256 = createHash('sha256').update(JSON.stringify(document)).digest('hex');
    const url = `${service.url}/openapi.json`;
    return { name: 'crm', type: 'openapi', spec: { url, sha256 }, include: ['replaceCustomer'] };
  };
  const looks = { calls: [{ name: 'shop_look', input: { place: 'a' } }] };

  it('come with the schemas that OpenAPI documents, MCP servers and agents have for them', async () => {
    const helper = `helper-${++count}`;
    const input: JsonObject = { type: 'object', required: ['order'], properties: { order: { type: 'string' } } };
    await stage.client.createAgent({ ...agent({ name: helper, description: 'Finds orders', input }) });
    const tools = [
      crm(),
      { name: 'desk', type: 'mcp', transport: 'streamable_http', url: mcp.url, include: ['send_reply'] },
      { name: 'helper', type: 'agent', agent: helper },
    ];
    stage.models.respondWith({ text: 'Nothing to do.' });
    expect(await stage.ended(await stage.start(agent({ tools })))).toMatchObject({ status: 'succeeded' });
    const seen = offered(stage.models.requests[0]!);
    expect(Object.keys(seen)).toEqual(['crm_replaceCustomer', 'desk_send_reply', 'helper_run']);
    expect(seen.crm_replaceCustomer?.parameters).toMatchObject({
      type: 'object',
      required: expect.arrayContaining(['id', 'name']) as JsonValue,
      properties: { id: { type: 'string' }, name: { type: 'string' } },
    });
    expect(seen.desk_send_reply).toMatchObject({
      description: 'Sends a reply. (changes something)',
      parameters: { required: ['text'], properties: { text: { type: 'string' } }, additionalProperties: false },
    });
    expect(seen.helper_run).toMatchObject({ description: 'Finds orders (changes something)', parameters: input });
  });

  it('take what fits those schemas, and tell the model what does not', async () => {
    mcp.answer = () => ({ content: [{ type: 'text', text: 'sent' }] });
    const tools = [{ name: 'desk', type: 'mcp', transport: 'streamable_http', url: mcp.url, include: ['send_reply'] }];
    const says = (input: JsonObject) => ({ calls: [{ name: 'desk_send_reply', input }] });
    stage.models.respondWith(says({ body: 'hello' }), says({ text: 'hello' }), { text: 'Done.' });
    expect(await stage.ended(await stage.start(agent({ tools })))).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(stage.models.requests[1]!.messages.at(-1))).toContain('is missing');
    expect(mcp.calls).toEqual([{ name: 'send_reply', arguments: { text: 'hello' } }]);
  });

  it('that are agents spend the budget of their caller', async () => {
    const child = `spender-${++count}`;
    await stage.client.createAgent(agent({ name: child }));
    const isChild = ({ body }: TurnRequest): boolean => JSON.stringify(body).includes('shop_look');
    stage.models.always((request) => (isChild(request) ? looks : { calls: [{ name: 'helper_run', input: {} }] }));
    const tools = [{ name: 'helper', type: 'agent', agent: child }];
    const limits = { budget: { per_run: '0.0005', currency: 'EUR' } };
    const id = await stage.start(agent({ tools, limits }));
    // The cost of one model turn of the calling run and two turns of the child run. Each turn costs 0.0002.
    expect(await stage.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', step: null },
      cost: { amount: '0.0006', currency: 'EUR' },
    });
    expect(stage.models.requests).toHaveLength(3);
    const { data } = await stage.client.expect<{ data: { error: JsonObject }[] }>(
      'GET',
      `/v1/runs?trigger_type=agent&limit=1`,
    );
    expect(data[0]).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
  });

  it('that are agents are not started any more once the budget of a plan is used up', async () => {
    const child = `spender-${++count}`;
    await stage.client.createAgent(agent({ name: child }));
    const call = (id: string): JsonObject => ({ id, tool: 'helper.run', with: {} });
    stage.models.always({ text: 'done' });
    const id = await stage.start({
      name: `plan-${count}`,
      tools: [{ name: 'helper', type: 'agent', agent: child }],
      limits: { budget: { per_run: '0.0003', currency: 'EUR' } },
      steps: [call('first'), call('second'), call('third')],
    });
    expect(await stage.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', step: 'third' },
      cost: { amount: '0.0004' },
    });
    expect(stage.models.requests).toHaveLength(2);
  });

  it('leave no session at an MCP server when their run waits or has ended', async () => {
    const desk = { name: 'desk', type: 'mcp', transport: 'streamable_http', url: mcp.url, include: ['send_reply'] };
    const call = { id: 'send', tool: 'desk.send_reply', with: { text: 'hello' } };
    const ends = { name: `ends-${++count}`, tools: [desk], steps: [call] };
    const waits = { name: `waits-${++count}`, tools: [desk], steps: [call, { id: 'pause', wait: { for: '1h' } }] };
    expect(await stage.ended(await stage.start(ends))).toMatchObject({ status: 'succeeded' });
    const id = await stage.start(waits);
    await eventually(() => expect(mcp.calls).toHaveLength(2));
    await eventually(() => expect(mcp.openSessions).toBe(0));
    expect((await stage.client.run(id)).status).not.toBe('succeeded');
  });

  it('that are agents which do not exist are a warning, by an id that no agent has a mistake', async () => {
    const tools = (called: string) => ({ tools: [{ name: 'helper', type: 'agent', agent: called }] });
    const created = await stage.client.expect<{ id: string; warnings: JsonObject[] }>(
      'POST',
      '/v1/agents',
      agent(tools('nobody-yet')),
    );
    expect(created.warnings).toContainEqual(
      expect.objectContaining({ pointer: '/tools/0/agent', detail: expect.stringContaining('nobody-yet') }),
    );
    const unknown = agent(tools('agt_01kahzvk3te9d8q6f0f1v3m2sx'));
    const refused = await stage.client.call<{ code: string; errors: JsonObject[] }>('POST', '/v1/agents', unknown);
    expect([refused.status, refused.body.code]).toEqual([422, 'definition_invalid']);
    expect(refused.body.errors).toMatchObject([{ pointer: '/tools/0/agent' }]);
    const own = `mirror-${++count}`;
    const mirror = await stage.client.expect<{ warnings: JsonObject[] }>('POST', '/v1/agents', {
      ...agent(tools(own)),
      name: own,
    });
    expect(JSON.stringify(mirror.warnings)).not.toContain('There is no agent');
  });
});
