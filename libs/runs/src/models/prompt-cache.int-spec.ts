import type { ModelParams } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { ModelServer } from '../../../../test/support/model-server.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';
import { dataMessage, inputMessage, type PromptMessage, resultMessage } from '../interpreter/prompt.js';
import { askModel } from './model-turns.service.js';
import { promptCacheKey, repeatablePrompt } from './prompt-cache.js';

const LOOK = { name: 'look', description: 'Look', schema: { type: 'object' } };
const CALL = { id: 'call_1', name: 'look', input: {} };
const USER: PromptMessage = { role: 'user', text: 'hi' };
const RESULT: PromptMessage = { role: 'tool', results: [{ id: 'call_1', name: 'look', value: { result: 1 } }] };
const LOOP: PromptMessage[] = [USER, { role: 'assistant', text: '', calls: [CALL] }, RESULT];

describe('the prompt cache', () => {
  let server: ModelServer;

  beforeAll(async () => {
    // The loader of the test runner fails if two modules that share a dependency are first imported at the same time.
    for (const name of ['./language-model.js', '@ai-sdk/azure', '@ai-sdk/amazon-bedrock']) await import(name);
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  afterAll(() => server.close());

  const bodyOf = async (
    members: Partial<ModelProvider>,
    { cache, name = 'claude-x', tools = [LOOK], messages = LOOP }: Asked = {},
  ): Promise<JsonObject> => {
    const aws = { region: 'eu-central-1', keys: null };
    const provider = aModelProvider({ aws, baseUrl: server.url, apiKey: 'key', ...members });
    const params = { ...(cache && { cache }) };
    const call = { params, cacheKey: promptCacheKey('ws_1', 'hash'), signal: new AbortController().signal };
    const prompt = { system: 'Be kind.', messages, tools, mayCallTools: true };
    await askModel({ provider, name, fetch }, call, prompt, () => undefined);
    return server.requests.at(-1)!.body;
  };
  type Asked = Partial<{
    cache: ModelParams['cache'];
    name: string;
    tools: (typeof LOOK)[];
    messages: PromptMessage[];
  }>;

  it.each(['openai', 'azure'] as const)('of %s is named by workspace and definition', async (type) => {
    const responses = { type, api: 'responses' } as const;
    const { prompt_cache_key: key } = await bodyOf(responses);
    expect(key).toMatch(/^.{1,64}$/);
    expect((await bodyOf(responses, { cache: '1h', tools: [] })).prompt_cache_key).toBe(key);
    expect(await bodyOf(responses, { cache: 'off' })).not.toHaveProperty('prompt_cache_key');
    expect(promptCacheKey('ws_2', 'hash')).not.toBe(key);
    expect(promptCacheKey('ws_1', 'other')).not.toBe(key);
  });

  it.each([
    ['auto', undefined, { type: 'ephemeral' }],
    ['5m', '5m', { type: 'ephemeral', ttl: '5m' }],
    ['1h', '1h', { type: 'ephemeral', ttl: '1h' }],
  ] as const)('of Anthropic ends after the system text and the last message: %s', async (_, cache, mark) => {
    const asked = { type: 'anthropic' } as const;
    const body = await bodyOf(asked, { cache });
    expect(body.system).toEqual([{ type: 'text', text: 'Be kind.', cache_control: mark }]);
    expect(body.messages).toMatchObject([{}, {}, { content: [{ type: 'tool_result', cache_control: mark }] }]);
    expect(JSON.stringify(body).split('cache_control')).toHaveLength(3);
    const text = await bodyOf(asked, { cache, messages: [USER] });
    expect(text.messages).toMatchObject([{ content: [{ type: 'text', cache_control: mark }] }]);
  });

  it.each([
    ['auto', undefined, { type: 'default' }],
    ['1h', '1h', { type: 'default', ttl: '1h' }],
  ] as const)('of Claude on Bedrock ends after the system text and the last message: %s', async (_, cache, mark) => {
    const body = await bodyOf({ type: 'bedrock' }, { cache, name: 'eu.anthropic.claude-x' });
    expect(body.system).toEqual([{ text: 'Be kind.' }, { cachePoint: mark }]);
    expect((body.messages as { content: JsonObject[] }[]).at(-1)!.content.at(-1)).toEqual({ cachePoint: mark });
    expect(JSON.stringify(body).split('cachePoint')).toHaveLength(3);
  });

  it.each([
    ['anthropic', 'off', [LOOK], false],
    ['anthropic', 'auto', [], false],
    ['anthropic', '5m', [], true],
    ['bedrock', 'off', [LOOK], false],
    ['bedrock', 'auto', [], false],
    ['bedrock', '1h', [], true],
  ] as const)('of %s with %s and the tools %j is used: %s', async (type, cache, tools, used) => {
    const body = JSON.stringify(await bodyOf({ type }, { cache, tools: [...tools], messages: [USER] }));
    expect(/cache_control|cachePoint/.test(body)).toBe(used);
  });

  it.each<[string, Partial<ModelProvider>]>([
    ['chat', { type: 'openai', api: 'chat' }],
    ['compatible', { type: 'openai-compatible' }],
    ['bedrock without Claude', { type: 'bedrock' }],
  ])('of %s is not named in a request', async (_, members) => {
    expect(JSON.stringify(await bodyOf(members, { cache: '1h', name: 'm' }))).not.toMatch(/cache/i);
  });

  it.each<[string, Partial<ModelProvider>, string]>([
    ['of Chat Completions has the order of the tools', { type: 'openai-compatible' }, '{"total":1,"id":2}'],
    ['has an order that another worker knows', { type: 'openai', api: 'responses' }, '{"id":2,"total":1}'],
  ])('%s in its data', (_, members, expected) => {
    const data = { total: 1, id: 2 };
    const result: PromptMessage = { role: 'tool', results: [{ id: 'c', name: 'look', value: resultMessage(data) }] };
    const messages = [dataMessage(data, inputMessage), result];
    const prompt = repeatablePrompt(aModelProvider(members), { system: '', messages, tools: [], mayCallTools: true });
    expect(prompt.messages).toEqual([
      { role: 'user', text: expect.stringContaining(expected) },
      { role: 'tool', results: [expect.anything()] },
    ]);
    expect(JSON.stringify(prompt.messages[1])).toContain(expected);
  });
});
