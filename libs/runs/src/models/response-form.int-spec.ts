import type { JsonObject } from '@app/kernel';
import { type ModelProvider, UNKNOWN_MODEL } from '@app/platform/models';
import { ModelServer } from '../../../../test/support/model-server.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';
import { askModel } from './model-turns.service.js';
import { WatchedFetch } from './watched-fetch.js';

const SCHEMA = { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { type: 'string' } } };
const TOOLS = [{ name: 'look', description: 'Look', schema: { type: 'object' } }];
const STRICT = { type: 'json_schema', json_schema: expect.objectContaining({ schema: SCHEMA, strict: true }) };

describe('the form of a response', () => {
  let server: ModelServer;

  beforeAll(async () => {
    // The loader of the test runner fails if two modules that share a dependency are first imported at the same time.
    for (const name of ['./language-model.js', '@ai-sdk/mistral', '@ai-sdk/google']) await import(name);
    await import('@ai-sdk/amazon-bedrock');
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  afterAll(() => server.close());

  const bodyOf = async (members: Partial<ModelProvider>, name = 'm', structuredOutput = true): Promise<JsonObject> => {
    const provider = aModelProvider({
      baseUrl: server.url,
      apiKey: 'key',
      aws: { region: 'eu-central-1', keys: null },
      models: new Map([[name, { ...UNKNOWN_MODEL, structuredOutput }]]),
      ...members,
    });
    const call = { params: {}, signal: new AbortController().signal };
    const structured = { schema: SCHEMA, system: 'Without the schema.' };
    const prompt = {
      system: 'With the schema.',
      messages: [{ role: 'user' as const, text: 'hi' }],
      mayCallTools: true,
    };
    const network = new WatchedFetch(fetch, provider);
    await askModel(
      { provider, name, fetch: network.fetch },
      call,
      { ...prompt, tools: TOOLS, structured },
      () => undefined,
    );
    return server.requests.at(-1)!.body;
  };
  const whole = ({ tools: _, ...body }: JsonObject): string => JSON.stringify(body);

  it.each<[string, Partial<ModelProvider>, string, JsonObject]>([
    [
      'responses',
      { type: 'openai', api: 'responses' },
      'm',
      { text: { format: expect.objectContaining({ schema: SCHEMA }) } },
    ],
    ['chat', { type: 'openai', api: 'chat' }, 'm', { response_format: STRICT }],
    ['compatible', { type: 'openai-compatible' }, 'm', { response_format: STRICT }],
    [
      'messages',
      { type: 'anthropic' },
      'claude-x',
      { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    ],
    [
      'google',
      { type: 'google' },
      'm',
      { generationConfig: expect.objectContaining({ responseSchema: expect.anything() }) },
    ],
    ['mistral', { type: 'mistral' }, 'm', { response_format: expect.objectContaining({ type: 'json_schema' }) }],
    [
      'bedrock',
      { type: 'bedrock' },
      'anthropic.claude-x',
      { additionalModelRequestFields: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } } },
    ],
  ])('is sent beside the tools, and never as a tool: %s', async (_, members, name, expected) => {
    const body = await bodyOf(members, name);
    expect(body).toMatchObject(expected);
    expect(whole(body)).toContain('Without the schema.');
    expect(JSON.stringify(body.tools ?? body.toolConfig)).not.toContain('"name":"json"');
  });

  it.each<[string, Partial<ModelProvider>, string]>([
    ['openai', { type: 'openai', api: 'responses' }, 'm'],
    ['anthropic', { type: 'anthropic' }, 'claude-x'],
  ])('is not sent if the model has none: %s', async (_, members, name) => {
    const body = await bodyOf(members, name, false);
    expect(whole(body)).toContain('With the schema.');
    expect(whole(body)).not.toContain('json_schema');
  });

  it('is not sent to other models of Bedrock, which would receive it as a tool', async () => {
    const body = await bodyOf({ type: 'bedrock' }, 'amazon.nova-x');
    expect(whole(body)).toContain('With the schema.');
    expect(JSON.stringify(body.toolConfig)).not.toContain('"name":"json"');
  });
});
