import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@app/kernel';
import { type AnsweredRun, McpAssistant, type RawAnswer } from '../support/mcp-assistant.js';
import { REPOSITORY_ROOT } from '../support/repository-root.js';
import { Scene } from '../support/scene.js';

const ADDRESSES = ['/v1/mcp', '/v1/mcp/author'] as const;
/** The operations of the API that are tools too. */
const SHARED: Readonly<Record<string, string[]>> = {
  '/v1/mcp': ['cancel_run', 'get_run'],
  '/v1/mcp/author': ['create_agent', 'get_evaluation', 'list_agents', 'validate_definition'],
};
const MAX_BATCH = 100;
const CANARY = 'canary-4711';
const REDACTING: JsonObject = {
  name: 'redacting',
  description: 'Redacts a note.',
  input: { type: 'object', properties: { note: { type: 'string' } } },
  redact: { paths: ['input.note'] },
  expose: { mcp: {} },
  steps: [{ id: 'result', output: { note: '${{ input.note }}' } }],
};

interface Message {
  id: number;
  error?: { code: number };
}

/** Tests what no message does, with the key of an admin, who may do all of it by the API. */
describe('the limits of the MCP server', () => {
  let scene: Scene;
  let operations: string[];
  let assistant: McpAssistant;
  let author: McpAssistant;

  beforeAll(async () => {
    scene = await Scene.start();
    [assistant, author] = ADDRESSES.map(
      (path) => new McpAssistant(() => scene.stack.baseUrl + path, scene.stack.adminKey),
    ) as [McpAssistant, McpAssistant];
    const text = await readFile(`${REPOSITORY_ROOT}/packages/sdk/openapi.json`, 'utf8');
    operations = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id = '']) => id);
    await scene.stack.client.createAgent(REDACTING);
  });
  afterAll(() => scene.stop());

  const answersTo = async (path: string, messages: JsonObject[]): Promise<Message[]> => {
    const accept = { accept: 'application/json, text/event-stream' };
    const answers: Message[] = [];
    for (let first = 0; first < messages.length; first += MAX_BATCH) {
      const batch = messages.slice(first, first + MAX_BATCH).map((message, id) => ({ jsonrpc: '2.0', id, ...message }));
      const { body } = await scene.stack.client.call<Message[]>('POST', path, batch, accept);
      answers.push(...body.sort((one, other) => one.id - other.id));
    }
    return answers;
  };

  it.each(ADDRESSES)('make no operation of the API a tool or a method of %s', async (path) => {
    expect(operations).toEqual(
      expect.arrayContaining(['promoteAgentVersion', 'resumeAgent', 'resumeWorkspace', 'decideRunApproval']),
    );
    const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const names = operations.flatMap((name) => [name, snake(name)]);
    const tools = await answersTo(
      path,
      names.map((name) => ({ method: 'tools/call', params: { name, arguments: {} } })),
    );
    const called = names.filter((_, index) => tools[index]?.error?.code !== -32602);
    expect(called.sort()).toEqual(SHARED[path]);
    const methods = await answersTo(
      path,
      names.map((method) => ({ method, params: {} })),
    );
    expect(methods).toHaveLength(names.length);
    expect(new Set(methods.map(({ error }) => error?.code))).toEqual(new Set([-32601]));
  });

  it('show no redacted value, whoever asks', async () => {
    const texts: string[] = [];
    const noted = (answer: RawAnswer): RawAnswer => {
      texts.push(JSON.stringify(answer));
      return answer;
    };
    const started = noted(await assistant.call('redacting', { note: CANARY }));
    const { run } = started.result.structuredContent as AnsweredRun;
    const revealed = await scene.stack.client.expect('GET', `/v1/runs/${run}?reveal=true`);
    expect(JSON.stringify(revealed)).toContain(CANARY);
    noted(await assistant.call('get_run', { run }));
    noted(await author.call('get_trace', { run }));
    noted(await author.call('test_definition', { definition: REDACTING, input: { note: CANARY } }));
    for (const refused of [
      noted(await assistant.call('get_run', { run, reveal: true })),
      noted(await author.call('get_trace', { run, reveal: true })),
    ])
      expect(refused.result.content[0].text).toContain('input_invalid');
    expect(texts.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(texts[0]).toContain('[redacted]');
  });

  it('leave what is in production and what is paused', async () => {
    const definition = { name: 'written', steps: [{ id: 'a', output: 1 }] };
    const made = await author.call('create_agent', { definition });
    const { agent } = made.result.structuredContent as { agent: string };
    const next = { agent, definition: { ...definition, description: 'Next.' }, if_latest: 1 };
    expect((await author.call('create_version', next)).result.structuredContent).toMatchObject({ version: 2 });
    expect(await scene.stack.client.expect('GET', `/v1/agents/${agent}`)).toMatchObject({
      status: 'paused',
      production_version: 1,
      latest_version: 2,
    });
  });
});
