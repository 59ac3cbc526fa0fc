import type { JsonObject } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { ModelServer } from '../../../../test/support/model-server.js';
import type { ScriptedTurn } from '../../../../test/support/model-wire.js';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';
import { askModel } from './model-turns.service.js';
import type { StreamedTurn } from './turn-call.js';

const PROTOCOLS: Readonly<Record<string, Pick<ModelProvider, 'type' | 'api'>>> = {
  responses: { type: 'openai', api: 'responses' },
  chat: { type: 'openai', api: 'chat' },
  compatible: { type: 'openai-compatible', api: null },
  messages: { type: 'anthropic', api: null },
};
const NAMES = Object.keys(PROTOCOLS);
const LOOK = {
  name: 'shop_look',
  description: 'Look something up',
  schema: { type: 'object', properties: { place: { type: 'string' }, depth: { type: 'number' } }, required: ['place'] },
};

describe('a request for one turn', () => {
  let server: ModelServer;

  beforeAll(async () => {
    // The loader of the test runner fails if two modules that share a dependency are first imported at the same time.
    await import('./language-model.js');
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  afterAll(() => server.close());

  const ask = (
    protocol: string,
    messages: PromptMessage[] = [{ role: 'user', text: 'hi' }],
    params: JsonObject = {},
  ) => {
    const wire = PROTOCOLS[protocol]!;
    const rest = { name: 'theirs', baseUrl: server.url, apiKey: 'key', prices: new Map(), embeddings: new Map() };
    const call = { params, signal: new AbortController().signal };
    const prompt: Prompt = { system: 'Be kind.', messages, tools: [LOOK], mayCallTools: true };
    return askModel({ provider: { ...wire, ...rest }, name: 'm', fetch }, call, prompt, () => undefined);
  };
  const answered = (protocol: string, turn: ScriptedTurn): Promise<StreamedTurn> => {
    server.respondWith(turn);
    return ask(protocol);
  };

  describe.each(NAMES)('in the format %s', (protocol) => {
    it.each([
      ['a stream', false],
      ['one response', true],
    ])('reads text, calls and tokens of %s', async (_, whole) => {
      const calls = [{ name: 'shop_look', input: { place: 'a' } }];
      expect(await answered(protocol, { text: 'I look.', calls, whole })).toMatchObject({
        text: 'I look.',
        calls: [{ name: 'shop_look', input: { place: 'a' } }],
        finish: 'tool-calls',
        usage: { input: 100, output: 10 },
      });
      expect(await answered(protocol, { text: 'Done.', whole })).toMatchObject({ text: 'Done.', finish: 'stop' });
      expect(server.requests).toHaveLength(2);
    });

    it('sends equal bytes for equal requests', async () => {
      await ask(protocol);
      await ask(protocol);
      const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
      expect(second).toBe(first);
    });
  });

  it('over the Responses API keeps nothing at the vendor', async () => {
    await ask('responses');
    const [{ path, body }] = server.requests as [(typeof server.requests)[0]];
    expect(path).toBe('/v1/responses');
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], stream: true });
    expect(body).not.toHaveProperty('previous_response_id');
    expect(body).not.toHaveProperty('conversation');
  });

  it('over the Responses API leaves optional arguments of tools optional', async () => {
    await ask('responses');
    expect(server.requests[0]?.body.tools).toEqual([
      expect.objectContaining({
        type: 'function',
        name: 'shop_look',
        strict: false,
        parameters: expect.objectContaining(LOOK.schema),
      }),
    ]);
  });

  it('over the Responses API returns calls and results without ids of the vendor', async () => {
    const call = { id: 'call_1', name: 'shop_look', input: { place: 'a' } };
    await ask('responses', [
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: 'I look.', calls: [call] },
      { role: 'tool', results: [{ id: 'call_1', name: 'shop_look', value: { result: 'x' } }] },
    ]);
    expect((server.requests[0]?.body.input as JsonObject[]).slice(2)).toEqual([
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'shop_look', arguments: '{"place":"a"}' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"result":"x"}' },
    ]);
  });
});
