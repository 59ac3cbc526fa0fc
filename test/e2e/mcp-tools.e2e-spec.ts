import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonObject } from '@app/kernel';
import { type AnsweredRun, McpAssistant, type RawAnswer } from '../support/mcp-assistant.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const OF_CLIENT = 'label=mcp_client%3Dtester&trigger_type=mcp';
const ORDER = {
  type: 'object',
  required: ['order', 'channel'],
  properties: {
    order: { type: 'string' },
    channel: { type: 'string' },
    by: { type: 'string' },
    note: { type: 'string', default: 'none' },
  },
};

describe('agents as tools of the MCP server', () => {
  let scene: Scene;
  let assistant: McpAssistant;

  const create = (definition: JsonObject) => scene.stack.client.createAgent(definition);

  beforeAll(async () => {
    scene = await Scene.start();
    assistant = new McpAssistant(() => `${scene.stack.baseUrl}/v1/mcp`, scene.stack.adminKey);
    await create({
      name: 'echo-order',
      description: 'Echoes an order.',
      input: ORDER,
      expose: { mcp: { fixed: { channel: 'mcp', by: '${{ caller.member }}' } } },
      steps: [{ id: 'result', output: '${{ input }}' }],
    });
    await create({
      ...aToolAgent('slow', scene.ledger.url, [['write', '/slow']]),
      description: 'Takes long.',
      expose: { mcp: { wait: '1s' } },
    });
    await create({ ...aToolAgent('hidden', scene.ledger.url, [['read', '/hidden']]), description: 'Not exposed.' });
    await create({
      name: 'failing',
      description: 'Fails.',
      expose: { mcp: { tool: 'always_fails' } },
      steps: [{ id: 'stop', fail: { message: 'No luck.' } }],
    });
  });
  afterEach(() => scene.ledger.release('/slow'));
  afterAll(() => scene.stop());

  const shapeOf = ({ result }: RawAnswer) => result.structuredContent as AnsweredRun;
  const refusal = ({ result }: RawAnswer) => {
    expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
    return JSON.parse(result.content[0].text) as { code: string; errors?: { pointer: string }[] };
  };

  it.each(['modern', 'legacy'] as const)('are listed and called by a client of the %s era', async (era) => {
    const client = await assistant.connect(era);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['always_fails', 'cancel_run', 'echo_order', 'get_run', 'slow']);
      expect(tools.find(({ name }) => name === 'echo_order')).toMatchObject({
        description: 'Echoes an order.',
        inputSchema: {
          type: 'object',
          required: ['order'],
          properties: { order: { type: 'string' }, note: { default: 'none' } },
          additionalProperties: false,
        },
        annotations: { title: 'echo-order', readOnlyHint: true, destructiveHint: false },
      });
      expect(tools.find(({ name }) => name === 'slow')?.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
      });
      const result = await client.callTool({ name: 'echo_order', arguments: { order: '1001' } });
      const shape = result.structuredContent as AnsweredRun;
      expect(shape).toEqual({
        run: expect.stringMatching(/^run_/),
        status: 'succeeded',
        output: { order: '1001', note: 'none', channel: 'mcp', by: 'admin@example.com' },
        error: null,
        waiting: null,
        console_url: `${scene.stack.baseUrl}/console/runs/${shape.run}`,
      });
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(shape) }]);
      const run = await scene.stack.client.expect<JsonObject>('GET', `/v1/runs/${shape.run}`);
      expect(run).toMatchObject({
        mode: 'production',
        initiator: 'admin@example.com',
        trigger: { type: 'mcp', client: era === 'modern' ? 'tester' : null, tool: 'echo_order' },
        labels: era === 'modern' ? { mcp_client: 'tester' } : {},
      });
      const found = await scene.stack.client.expect<{ data: JsonObject[] }>('GET', `/v1/runs?${OF_CLIENT}`);
      expect(found.data.map(({ id }) => id).includes(shape.run)).toBe(era === 'modern');
    } finally {
      await client.close();
    }
  });

  it('are listed and called by a client of the former package', async () => {
    const client = new FormerClient({ name: 'former', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${scene.stack.adminKey}` } };
    await client.connect(new FormerTransport(new URL(`${scene.stack.baseUrl}/v1/mcp`), { requestInit }));
    try {
      expect(client.getServerVersion()?.name).toBe('agent-automation-service');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('echo_order');
      const { structuredContent, isError } = await client.callTool({ name: 'echo_order', arguments: { order: '1' } });
      expect([isError, structuredContent]).toMatchObject([undefined, { status: 'succeeded', output: { order: '1' } }]);
      const failed = await client.callTool({ name: 'always_fails' });
      expect([failed.isError, failed.structuredContent]).toMatchObject([true, { status: 'failed' }]);
    } finally {
      await client.close();
    }
  });

  it('answer with the run as it is when the time is over, and get_run waits for its end', async () => {
    scene.ledger.always('/slow', { hang: true });
    const started = await assistant.call('slow');
    const { run, status } = shapeOf(started);
    expect(status).toBe('running');
    expect(started.result.isError).toBeUndefined();
    expect(started.result.content[1].text).toBe(`Not ended. Call get_run with {"run": "${run}", "wait": "50s"}.`);
    const waiting = assistant.call('get_run', { run, wait: '50s' });
    scene.ledger.release('/slow');
    expect(shapeOf(await waiting)).toMatchObject({ run, status: 'succeeded', output: { done: true } });
  });

  it('cancel a run, and say that one that has ended cannot be cancelled', async () => {
    scene.ledger.always('/slow', { hang: true });
    const { run } = shapeOf(await assistant.call('slow'));
    const cancelled = await assistant.call('cancel_run', { run });
    expect([cancelled.result.isError, shapeOf(cancelled).status]).toEqual([undefined, 'cancelled']);
    const { run: ended } = shapeOf(await assistant.call('echo_order', { order: '1' }));
    for (const id of [ended, run])
      expect(refusal(await assistant.call('cancel_run', { run: id })).code).toBe('run_not_cancellable');
    expect((await assistant.call('get_run', { run })).result.isError).toBe(true);
  });

  it('report a failed run as an error with its shape', async () => {
    const failed = await assistant.call('always_fails');
    expect([failed.result.isError, shapeOf(failed)]).toMatchObject([
      true,
      { status: 'failed', error: { message: 'No luck.' } },
    ]);
  });

  it('refuse wrong arguments before a run, with pointers into them', async () => {
    const pointers = async (args: JsonObject) => {
      const { code, errors = [] } = refusal(await assistant.call('echo_order', args));
      return [code, ...errors.map(({ pointer }) => pointer)];
    };
    expect(await pointers({})).toEqual(['input_invalid', '/order']);
    expect(await pointers({ order: 5 })).toEqual(['input_invalid', '/order']);
    expect(await pointers({ order: 'a', channel: 'web' })).toEqual(['input_invalid', '/channel']);
    expect(await pointers({ order: 'a', extra: 1 })).toEqual(['input_invalid', '/extra']);
    expect(await pointers({ order: 'a\u0000' })).toEqual(['input_invalid', '/order']);
    expect(refusal(await assistant.call('get_run', { run: 'run_1', wait: '51s' }))).toMatchObject({
      errors: [{ pointer: '/wait' }],
    });
  });

  it('have one answer for everything that does not exist for the caller', async () => {
    const archived = await create({
      name: 'gone',
      description: 'x',
      expose: { mcp: {} },
      steps: [{ id: 'r', output: {} }],
    });
    await scene.stack.client.expect('POST', `/v1/agents/${archived}/pause`);
    const answers = await Promise.all(['nope', 'hidden', 'gone', 'tools/list'].map((name) => assistant.call(name)));
    for (const { error } of answers) expect(error).toEqual({ code: -32602, message: answers[0]!.error!.message });
    expect(refusal(await assistant.call('get_run', { run: 'run_01kahzvk3te9d8q6f0f1v3m2sx' })).code).toBe('not_found');
    const own = await scene.stack.client.startRun(archived);
    expect(refusal(await assistant.call('get_run', { run: own.id })).code).toBe('not_found');
  });

  it('start one run for one idempotency key', async () => {
    const once = { headers: { 'idempotency-key': 'once' } };
    const runs = [];
    for (let n = 0; n < 2; n++) runs.push(shapeOf(await assistant.call('echo_order', { order: '7' }, once)).run);
    expect(runs[0]).toBe(runs[1]);
    expect(refusal(await assistant.call('echo_order', { order: '8' }, once)).code).toBe('idempotency_key_reused');
  });

  it('see only what the key may do', async () => {
    const keyOf = async (more: JsonObject) => {
      const body = { name: 'narrow', kind: 'live', role: 'admin', member: 'admin@example.com', ...more };
      const { key } = await scene.stack.client.expect<{ key: string }>('POST', '/v1/api-keys', body);
      return new McpAssistant(() => `${scene.stack.baseUrl}/v1/mcp`, key);
    };
    const names = async (narrow: McpAssistant) =>
      ((await narrow.send('tools/list')).result.tools as { name: string }[]).map(({ name }) => name);
    expect(await names(await keyOf({ scopes: ['knowledge:read'] }))).toEqual([]);
    expect(await names(await keyOf({ scopes: ['runs:read'] }))).toEqual(['get_run']);
    const narrow = await keyOf({ agents: ['name:slow'] });
    expect(await names(narrow)).toEqual(['cancel_run', 'get_run', 'slow']);
    expect((await narrow.call('echo_order', { order: '1' })).error?.code).toBe(-32602);
    const tested = shapeOf(await (await keyOf({ kind: 'test' })).call('echo_order', { order: '1' }));
    expect(await scene.stack.client.expect('GET', `/v1/runs/${tested.run}`)).toMatchObject({ mode: 'test' });
    const starter = await keyOf({ scopes: ['agents:run'] });
    expect(shapeOf(await starter.call('echo_order', { order: '1' }))).toMatchObject({
      status: 'succeeded',
      output: null,
    });
  });

  it('start nothing while the workspace is stopped, but read and cancel', async () => {
    scene.ledger.always('/slow', { hang: true });
    const { run } = shapeOf(await assistant.call('slow'));
    await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'test' });
    try {
      expect(refusal(await assistant.call('slow')).code).toBe('workspace_stopped');
      expect(shapeOf(await assistant.call('get_run', { run })).run).toBe(run);
      expect(shapeOf(await assistant.call('cancel_run', { run })).status).toBe('cancelled');
    } finally {
      scene.ledger.release('/slow');
      await scene.stack.client.expect('POST', '/v1/workspace/resume');
    }
  });

  it('are tasks for a client that knows tasks', async () => {
    scene.ledger.always('/slow', { hang: true });
    const { result: task } = await assistant.call('slow', {}, { capabilities: TASKS });
    expect(task).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^run_/),
      status: 'working',
      pollIntervalMs: 2_000,
      ttlMs: 7 * 86_400_000,
    });
    expect(task.content).toBeUndefined();
    const { taskId } = task;
    const undeclared = await assistant.send('tasks/get', { taskId });
    expect([undeclared.status, undeclared.error?.code]).toEqual([400, -32021]);
    scene.ledger.release('/slow');
    await assistant.call('get_run', { run: taskId, wait: '50s' });
    const { result: ended } = await assistant.send('tasks/get', { taskId }, { capabilities: TASKS });
    expect(ended).toMatchObject({
      taskId,
      status: 'completed',
      result: { structuredContent: { run: taskId, status: 'succeeded' } },
    });
    expect((await assistant.send('tasks/cancel', { taskId }, { capabilities: TASKS })).error).toBeUndefined();
    const other = await assistant.send(
      'tasks/get',
      { taskId: 'run_01kahzvk3te9d8q6f0f1v3m2sx' },
      { capabilities: TASKS },
    );
    expect(other.error?.code).toBe(-32602);
  });

  it('are cancelled as tasks', async () => {
    scene.ledger.always('/slow', { hang: true });
    const { result: task } = await assistant.call('slow', {}, { capabilities: TASKS });
    const { taskId } = task;
    expect((await assistant.send('tasks/cancel', { taskId }, { capabilities: TASKS })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await assistant.send('tasks/get', { taskId }, { capabilities: TASKS })).result).toMatchObject({
      status: 'cancelled',
    });
  });

  it('list pages of 100 tools in the order of their names', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `zz-${String(n).padStart(3, '0')}`);
    for (const name of many)
      await create({ name, description: 'One of many.', expose: { mcp: {} }, steps: [{ id: 'r', output: {} }] });
    const { result: first } = await assistant.send('tools/list');
    const { result: second } = await assistant.send('tools/list', { cursor: first.nextCursor });
    const names = [...first.tools, ...second.tools].map(({ name }: { name: string }) => name);
    expect([first.tools.length, second.nextCursor, names.length]).toEqual([100, undefined, 105]);
    expect(names).toEqual([...names].sort());
    expect((await assistant.send('tools/list', { cursor: 'x' })).error?.code).toBe(-32602);
  });
});
