import type { JsonObject } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { ModelServer } from '../../../../test/support/model-server.js';
import type { ScriptedTurn } from '../../../../test/support/model-wire.js';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';
import { askModel } from './model-turns.service.js';
import { recordedTurn, type StreamedTurn } from './turn-call.js';
import { type TurnFailure, turnFailure } from './turn-failure.js';
import type { SentParts } from './turn-states.js';
import { WatchedFetch } from './watched-fetch.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

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
    parts: SentParts = new Map(),
  ) => {
    const wire = PROTOCOLS[protocol]!;
    const provider = aModelProvider({ ...wire, baseUrl: server.url, apiKey: 'key' });
    const call = { params, parts, signal: new AbortController().signal };
    const prompt: Prompt = { system: 'Be kind.', messages, tools: [LOOK], mayCallTools: true };
    const network = new WatchedFetch(fetch, wire);
    const model = { provider, name: 'm', fetch: network.fetch };
    return askModel(model, call, prompt, () => undefined).catch((error: unknown) => {
      throw Object.assign(new Error('The turn failed.'), { cause: network.failure ?? error });
    });
  };
  const answered = (protocol: string, turn: ScriptedTurn): Promise<StreamedTurn> => {
    server.respondWith(turn);
    return ask(protocol);
  };

  it.each([
    [
      'compatible',
      '{"created":1533947986218845197,"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant",' +
        '"tool_calls":[{"id":"a","function":{"name":"shop_look","arguments":{"id":1533947986218845197}}}]}}]}',
    ],
    [
      'messages',
      '{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","stop_sequence":null,' +
        '"usage":{"input_tokens":1,"output_tokens":1},' +
        '"content":[{"type":"tool_use","id":"a","name":"shop_look","input":{"id":1533947986218845197}}]}',
    ],
  ])('keeps integers beyond 2^53 in arguments that are an object, over %s', async (protocol, raw) => {
    const turn = { raw, headers: { 'content-type': 'application/json' } };
    expect(await answered(protocol, turn)).toMatchObject({ calls: [{ input: { id: '1533947986218845197' } }] });
  });

  const failed = async (protocol: string, turn: ScriptedTurn): Promise<TurnFailure> => {
    const answer = await answered(protocol, turn).catch((error: unknown) => error);
    if (!(answer instanceof Error)) throw new Error(`The turn did not fail: ${JSON.stringify(answer)}`);
    return turnFailure('theirs', answer.cause, 0);
  };

  describe.each(NAMES)('in the format %s', (protocol) => {
    it('keeps integers beyond 2^53 in arguments', async () => {
      const input = '{"place":"1533947986218845197","ids":[1533947986218845197,1]}';
      expect(await answered(protocol, { calls: [{ name: 'shop_look', input }] })).toMatchObject({
        calls: [{ input: { place: '1533947986218845197', ids: ['1533947986218845197', 1] } }],
      });
      const broken = '{"ids":[1533947986218845197';
      expect(await answered(protocol, { calls: [{ name: 'shop_look', input: broken }] })).toMatchObject({
        calls: [{ input: broken }],
      });
    });

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

    it('counts cached tokens and reasoning as parts of the input and the output', async () => {
      const usage = { input: 1_000, output: 40, cacheRead: 600, cacheWrite: 100, reasoning: 30 };
      // The library that speaks to compatible servers does not read writes to the cache.
      const expected = protocol === 'compatible' ? { ...usage, cacheWrite: 0 } : usage;
      expect((await answered(protocol, { text: 'Done.', usage })).usage).toEqual(expected);
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
    expect((server.requests[0]!.body.input as JsonObject[]).slice(2)).toEqual([
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'shop_look', arguments: '{"place":"a"}' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"result":"x"}' },
    ]);
  });

  const sse = (...events: (JsonObject | string)[]): ScriptedTurn => ({
    raw: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
  });
  const json = (body: JsonObject): ScriptedTurn => ({
    raw: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  it('sends thinking back that Claude redacted', async () => {
    const block = { type: 'redacted_thinking', data: 'opaque==' };
    const use = { type: 'tool_use', id: 'toolu_1', name: 'shop_look', input: { place: 'a' } };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const raw = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', usage };
    const { text, calls, parts } = await answered(
      'messages',
      json({ ...raw, stop_sequence: null, content: [block, use] }),
    );
    const results = [{ id: calls[0]!.id, name: 'shop_look', value: { result: 'x' } }];
    const turn: PromptMessage = { role: 'assistant', text, calls, turn: 'turn[1]' };
    const messages: PromptMessage[] = [{ role: 'user', text: 'hi' }, turn, { role: 'tool', results }];
    await ask('messages', messages, {}, new Map([['turn[1]', parts]]));
    const sent = server.requests[1]!.body.messages as { content: JsonObject[] }[];
    expect(sent[1]!.content).toEqual([block, use]);
  });

  const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  const END = [chunk({}, { finish_reason: 'stop' }), '[DONE]'];

  it.each([
    ['chat', sse(chunk({ refusal: 'I will not.' }), ...END)],
    ['compatible', sse(chunk({ refusal: 'I will not.' }), ...END)],
    ['chat', json({ choices: [{ message: { content: null, refusal: 'I will not.' } }] })],
    ['responses', sse({ type: 'response.refusal.delta', delta: 'I will not.' })],
  ])('over %s recognises a refusal before its text', async (protocol, { raw, headers }) => {
    const type = { 'content-type': 'text/event-stream' };
    const network = new WatchedFetch(
      () => Promise.resolve(new Response(raw ?? '', { headers: { ...type, ...headers } })),
      PROTOCOLS[protocol]!,
    );
    expect(network.isRefused).toBe(false);
    await (await network.fetch('http://model.test')).text();
    expect(network.isRefused).toBe(true);
  });

  describe('that fails although its status is 200', () => {
    const credits = { error: { message: 'no credits left', code: 402 } };
    const upstream = { error: { message: 'Provider returned error', code: 502, metadata: { raw: 'no credits left' } } };
    const created = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
    const failure = { error: { code: 'server_error', message: 'no credits left' } };
    it.each<[string, string, ScriptedTurn, string, boolean]>([
      ['an error object', 'compatible', json(credits), 'provider_error', true],
      ['an error object', 'chat', json(credits), 'provider_error', true],
      ['an error object', 'responses', json(credits), 'provider_error', true],
      ['an error object', 'messages', json(credits), 'provider_error', true],
      ['a text', 'compatible', json({ error: 'no credits left' }), 'provider_error', false],
      ['a failed response', 'responses', json({ object: 'response', status: 'failed', ...failure }), 'provider_error', false],
      ['a choice', 'compatible', json({ choices: [{ ...upstream, message: {} }] }), 'provider_error', false],
      ['the first event', 'compatible', sse(credits), 'provider_error', true],
      ['an event', 'chat', sse(chunk({ content: 'a' }), credits), 'provider_error', true],
      ['an event with the cause', 'compatible', sse(chunk({ content: 'a' }), upstream), 'provider_error', false],
      ['a rate limit', 'compatible', sse({ error: { message: 'no credits left', type: 'rate_limit_error' } }), 'provider_rate_limited', false],
      ['a code as text', 'compatible', sse({ error: { message: 'no credits left', code: '429' } }), 'provider_rate_limited', false],
      ['vLLM', 'compatible', sse({ object: 'error', message: 'no credits left', code: 400 }, '[DONE]'), 'provider_error', true],
      ['an event', 'messages', sse({ type: 'error', error: { type: 'overloaded_error', message: 'no credits left' } }), 'provider_error', false],
      ['an event', 'responses', sse(created, { type: 'error', code: 'rate_limit_exceeded', message: 'no credits left' }), 'provider_rate_limited', false],
      ['a failed event', 'responses', sse(created, { type: 'response.failed', sequence_number: 1, response: failure }), 'provider_error', false],
    ])('has the message and the kind of the error: %s, %s', async (_, protocol, turn, code, permanent) => {
      const found = await failed(protocol, turn);
      expect(found).toMatchObject({ code, permanent });
      expect(found.message).toContain('no credits left');
      expect(found.message).not.toContain('cannot be parsed');
    }); // prettier-ignore
  });

  it.each([
    ['vLLM', { object: 'error', message: 'context too long', code: 400 }],
    ['Ollama', { error: 'context too long' }],
  ])('that fails has the message in the body of %s', async (_, body) => {
    const refuse = new WatchedFetch(() => Promise.resolve(Response.json(body, { status: 400 })), PROTOCOLS.compatible!);
    const wire = PROTOCOLS.compatible!;
    const provider = aModelProvider({ ...wire, name: 'x', baseUrl: server.url });
    const prompt: Prompt = { system: '', messages: [{ role: 'user', text: 'hi' }], tools: [], mayCallTools: false };
    const call = { params: {}, signal: new AbortController().signal };
    const error: unknown = await askModel(
      { provider, name: 'm', fetch: refuse.fetch },
      call,
      prompt,
      () => undefined,
    ).catch((thrown: unknown) => thrown);
    expect(turnFailure('x', error, 0).message).toContain('context too long');
  });

  describe.each(['chat', 'compatible'])('to a server that deviates from Chat Completions (%s)', (protocol) => {
    it.each<[string, ScriptedTurn]>([
      ['events of other kinds', sse({ type: 'ping' }, chunk({ content: 'Hello' }), ...END)],
      ['a time as text', sse({ ...chunk({ content: 'Hello' }), created: '2026-01-01' }, ...END)],
      ['no reason of the end', sse(chunk({ content: 'Hello' }), '[DONE]')],
      ['no calls', sse(chunk({ role: 'assistant', content: 'Hello', tool_calls: null }), ...END)],
      ['a content in parts', sse(chunk({ content: [{ type: 'text', text: 'Hello' }] }), ...END)],
      ['unknown members', sse(chunk({ content: 'Hello', annotations: 1, refusal: null }, { logprobs: 'x' }), ...END)],
      ['a whole answer with the same', json({ created: 'x', choices: [{ message: { content: [{ type: 'text', text: 'Hello' }], tool_calls: null } }] })],
    ])('reads the answer in spite of %s', async (_, turn) => {
      expect(await answered(protocol, turn)).toMatchObject({ text: 'Hello', calls: [] });
    }); // prettier-ignore

    const look = (more: JsonObject): JsonObject => ({ index: 0, id: 'c1', type: 'function', function: more });
    it.each<[string, JsonObject, unknown]>([
      ['an object as arguments', look({ name: 'shop_look', arguments: { place: 'a' } }), { place: 'a' }],
      ['no arguments', look({ name: 'shop_look' }), {}],
      ['null as arguments', look({ name: 'shop_look', arguments: null }), {}],
      ['an empty text as arguments', look({ name: 'shop_look', arguments: '' }), {}],
      ['no id', { index: 0, function: { name: 'shop_look', arguments: '{"place":"a"}' } }, { place: 'a' }],
      ['no index', { id: 'c1', function: { name: 'shop_look', arguments: '{"place":"a"}' } }, { place: 'a' }],
      ['arguments that are no JSON', look({ name: 'shop_look', arguments: '{"place":' }), '{"place":'],
    ])('reads a call with %s', async (_, call, input) => {
      const stream = await answered(protocol, sse(chunk({ tool_calls: [call] }), ...END));
      expect(stream.calls).toEqual([{ id: expect.any(String), name: 'shop_look', input }]);
      const whole = await answered(protocol, json({ choices: [{ message: { content: null, tool_calls: [call] } }] }));
      expect(whole.calls).toEqual([{ id: expect.any(String), name: 'shop_look', input }]);
    });

    it('keeps two calls with one id apart', async () => {
      const calls = ['a', 'b'].map((place, index) => ({
        ...look({ name: 'shop_look', arguments: JSON.stringify({ place }) }),
        index,
      }));
      const stream = await answered(protocol, sse(chunk({ tool_calls: calls }), ...END));
      const recorded = recordedTurn(stream).calls as { id: string; input: JsonObject }[];
      expect(recorded.map(({ input }) => input)).toEqual([{ place: 'a' }, { place: 'b' }]);
      expect(new Set(recorded.map(({ id }) => id)).size).toBe(2);
    });

    it.each<[string, JsonObject, unknown]>([
      ['fractions', { prompt_tokens: 14_417.92, completion_tokens: 0.2 }, { input: 14_418, output: 1 }],
      ['texts', { prompt_tokens: '12', completion_tokens: '3' }, { input: 12, output: 3 }],
      ['a large number', { prompt_tokens: 3e9, completion_tokens: 1 }, { input: 3e9, output: 1 }],
      ['more cached than all', { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } }, { input: 5, output: 1 }],
      ['a negative number', { prompt_tokens: -1, completion_tokens: 3 }, { input: undefined, output: undefined }],
      ['an impossible number', { prompt_tokens: 1e300, completion_tokens: 3 }, { input: undefined, output: undefined }],
      ['null', { prompt_tokens: null, completion_tokens: null }, { input: undefined, output: undefined }],
      ['a missing number', { prompt_tokens: 5 }, { input: undefined, output: undefined }],
      ['words', { prompt_tokens: 'many', completion_tokens: {} }, { input: undefined, output: undefined }],
    ])('counts tokens that are %s', async (_, usage, expected) => {
      const turn = sse(chunk({ content: 'a' }), END[0]!, { ...chunk({}), choices: [], usage }, '[DONE]');
      expect((await answered(protocol, turn)).usage).toMatchObject(expected as object);
    }); // prettier-ignore

    it('takes the reasoning in a block for reasoning', async () => {
      const turn = sse(chunk({ content: '<think>secret' }), chunk({ content: ' plan</think>\n\nHello' }), ...END);
      expect(await answered(protocol, turn)).toMatchObject({ text: 'Hello', reasoning: 'secret plan' });
    });
  });

  it('sends calls of earlier turns with an object, even if their arguments were no JSON', async () => {
    await ask('compatible', [
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'shop_look', input: '{"place":' }] },
      { role: 'tool', results: [{ id: 'c1', name: 'shop_look', value: { error: {} } }] },
    ]);
    const [, , said] = server.requests[0]!.body.messages as { tool_calls: { function: { arguments: string } }[] }[];
    expect(JSON.parse(said!.tool_calls[0]!.function.arguments)).toEqual({ invalid_arguments: '{"place":' });
  });
});
