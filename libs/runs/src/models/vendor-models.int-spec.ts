import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '@app/platform/config';
import { type ModelProvider, modelsConfig } from '@app/platform/models';
import { ModelServer, type TurnRequest } from '../../../../test/support/model-server.js';
import type { PromptMessage } from '../interpreter/prompt.js';
import { askModel } from './model-turns.service.js';
import { type TurnFailure, turnFailure } from './turn-failure.js';
import type { SentParts } from './turn-states.js';
import { WatchedFetch } from './watched-fetch.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const LOOK = {
  name: 'look',
  description: 'Look',
  schema: { type: 'object', properties: { place: { type: 'string' } } },
};
const CALLS = [{ name: 'look', input: { place: 'a' } }];
const USER: PromptMessage = { role: 'user', text: 'hi' };
const AWS = { AWS_ID: 'AKIDEXAMPLE', AWS_SECRET: 'aws-secret-key', AWS_SESSION: 'aws-session-token' };

describe('the models of a vendor', () => {
  let server: ModelServer;
  let tokens: ReturnType<typeof createServer>;
  let tokenUrl = '';
  const tokenRequests: string[] = [];
  let tokenAnswer = { status: 200, body: { access_token: 'google-token', expires_in: 3_600 } as object };

  beforeAll(async () => {
    // The loader of the test runner fails if two modules that share a dependency are first imported at the same time.
    for (const name of ['./language-model.js', '@ai-sdk/azure', '@ai-sdk/mistral', '@ai-sdk/google'])
      await import(name);
    await import('@ai-sdk/amazon-bedrock');
    server = await ModelServer.start();
    tokens = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        tokenRequests.push(text);
        response.writeHead(tokenAnswer.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(tokenAnswer.body));
      });
    }).listen(0, '127.0.0.1');
    await once(tokens, 'listening');
    tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
  });
  afterEach(() => {
    server.reset();
    tokenRequests.length = 0;
    tokenAnswer = { status: 200, body: { access_token: 'google-token', expires_in: 3_600 } };
  });
  afterAll(async () => {
    tokens.close();
    await server.close();
  });

  const profiles = (): Record<string, string> => {
    const base = `base_url: "${server.url}"`;
    return {
      azure: `{ type: azure, api_key: key-1, base_url: "${server.url}/openai" }`,
      'azure over chat': `{ type: azure, api_key: key-1, api: chat, ${base} }`,
      google: `{ type: google, api_key: key-1, ${base} }`,
      mistral: `{ type: mistral, api_key: key-1, ${base} }`,
      'bedrock with a key': `{ type: bedrock, region: eu-central-1, api_key: key-1, ${base} }`,
      'bedrock with signatures':
        '{ type: bedrock, region: eu-central-1, access_key_id_env: AWS_ID, secret_access_key_env: AWS_SECRET, ' +
        `session_token_env: AWS_SESSION, ${base} }`,
      vertex: `{ type: vertex, project: p, location: europe-west4, credentials_env: GCP_JSON, ${base} }`,
    };
  };
  const NAMES = [
    'azure',
    'azure over chat',
    'google',
    'mistral',
    'bedrock with a key',
    'bedrock with signatures',
    'vertex',
  ];
  const providerOf = (name: string): ModelProvider => {
    const account = { client_email: 'me@p.example', private_key: privateKey, token_uri: tokenUrl };
    const source = {
      MODEL_PROVIDERS: `providers: { x: ${profiles()[name]} }`,
      GCP_JSON: JSON.stringify(account),
      ...AWS,
    };
    return Config.load([modelsConfig], source).get(modelsConfig).modelProviders.get('x')!;
  };
  const ask = (provider: ModelProvider, messages: PromptMessage[] = [USER], parts: SentParts = new Map()) => {
    const network = new WatchedFetch(fetch, provider);
    const call = { params: {}, parts, signal: new AbortController().signal };
    const prompt = { system: 'Be kind.', messages, tools: [LOOK], mayCallTools: true };
    return askModel({ provider, name: 'm-1', fetch: network.fetch }, call, prompt, () => undefined).catch(
      (error: unknown) => {
        throw Object.assign(new Error('The turn failed.'), { cause: network.failure ?? error });
      },
    );
  };
  const failureOf = async (provider: ModelProvider) => {
    const error = await ask(provider).catch((reason: unknown) => reason);
    return turnFailure('x', error instanceof Error ? error.cause : error, 0);
  };
  const sent = (): TurnRequest => server.requests.at(-1)!;

  describe.each(NAMES)('%s', (name) => {
    it.each([
      ['a stream', false],
      ['one response', true],
    ])('answer with text, calls and tokens in %s', async (_, whole) => {
      server.respondWith({ text: 'I look.', calls: CALLS, whole }, { text: 'Done.', whole });
      const provider = providerOf(name);
      expect(await ask(provider)).toMatchObject({
        text: 'I look.',
        calls: CALLS,
        finish: 'tool-calls',
        usage: { input: 100, output: 10 },
      });
      expect(await ask(provider)).toMatchObject({ text: 'Done.', finish: 'stop' });
      expect(server.requests).toHaveLength(2);
    });

    it('receive the calls and results of earlier turns', async () => {
      await ask(providerOf(name), [
        USER,
        { role: 'assistant', text: 'I look.', calls: [{ id: 'call_1', ...CALLS[0]! }] },
        { role: 'tool', results: [{ id: 'call_1', name: 'look', value: { result: 'found it' } }] },
      ]);
      expect(JSON.stringify(sent().body)).toContain('found it');
    });

    it.each([
      [401, 'provider_error', true],
      [429, 'provider_rate_limited', false],
      [503, 'provider_error', false],
    ])('report the status %i', async (status, code, permanent) => {
      server.respondWith({ status });
      expect(await failureOf(providerOf(name))).toMatchObject({ code, permanent });
    });

    it('get equal bytes for equal requests', async () => {
      const provider = providerOf(name);
      await ask(provider);
      await ask(provider);
      const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
      expect(second).toBe(first);
    });
  });

  it.each([
    ['azure', '/v1/openai/v1/responses', { 'api-key': 'key-1' }],
    ['azure over chat', '/v1/openai/v1/chat/completions', { 'api-key': 'key-1' }],
    ['google', '/v1/models/m-1:streamGenerateContent?alt=sse', { 'x-goog-api-key': 'key-1' }],
    ['mistral', '/v1/chat/completions', { authorization: 'Bearer key-1' }],
    ['bedrock with a key', '/v1/model/m-1/converse-stream', { authorization: 'Bearer key-1' }],
    [
      'vertex',
      '/v1/v1beta1/projects/p/locations/europe-west4/publishers/google/models/m-1:streamGenerateContent?alt=sse',
      { authorization: 'Bearer google-token' },
    ],
  ])('of the profile %s are asked at its address, with its credential only', async (name, path, headers) => {
    await ask(providerOf(name));
    expect(sent().path).toBe(path);
    const credentials = ['authorization', 'api-key', 'x-goog-api-key'].flatMap((header) => {
      const value = sent().headers[header];
      return value === undefined ? [] : [[header, value]];
    });
    expect(Object.fromEntries(credentials)).toEqual(headers);
  });

  it('of Bedrock are asked with Signature Version 4', async () => {
    await ask(providerOf('bedrock with signatures'));
    const { authorization, 'x-amz-security-token': session } = sent().headers;
    expect(authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request/,
    );
    expect(session).toBe('aws-session-token');
  });

  it('of Azure keep nothing', async () => {
    await ask(providerOf('azure'));
    expect(sent().body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });

  it('of Mistral receive call ids of the form that it accepts', async () => {
    await ask(providerOf('mistral'), [
      USER,
      { role: 'assistant', text: '', calls: [{ id: 'call_1', ...CALLS[0]! }] },
      { role: 'tool', results: [{ id: 'call_1', name: 'look', value: { result: 'x' } }] },
    ]);
    const [, , turn, result] = sent().messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    expect(turn?.tool_calls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(result?.tool_call_id).toBe(turn?.tool_calls?.[0]?.id);
  });

  it.each([
    ['azure', '"encrypted_content":"opaque=="'],
    ['google', '"thoughtSignature":"opaque=="'],
    ['vertex', '"thoughtSignature":"opaque=="'],
    ['bedrock with a key', '"signature":"opaque=="'],
  ])('of %s receive their reasoning back as they sent it', async (name, expected) => {
    const provider = providerOf(name);
    server.respondWith({ text: 'I look.', calls: CALLS, reasoning: 'opaque==', thought: 'b a' });
    const { text, calls, parts } = await ask(provider);
    const results = [{ id: calls[0]!.id, name: 'look', value: { result: 'x' } }];
    const messages: PromptMessage[] = [
      USER,
      { role: 'assistant', text, calls, turn: 'turn[1]' },
      { role: 'tool', results },
    ];
    await ask(provider, messages, new Map([['turn[1]', parts]]));
    expect(JSON.stringify(sent().body)).toContain(expected);
    expect(JSON.stringify(sent().body)).toContain('"b a"');
    await ask(provider, messages);
    expect(JSON.stringify(sent().body)).not.toMatch(/opaque|"b a"|"(rs|msg|fc)_/);
  });

  describe('on Vertex AI', () => {
    it('are asked with one token until it expires', async () => {
      const provider = providerOf('vertex');
      await ask(provider);
      await ask(provider);
      expect(tokenRequests).toHaveLength(1);
      const form = new URLSearchParams(tokenRequests[0]);
      expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
      const [header, claims, signature] = form.get('assertion')!.split('.');
      const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
      expect(verifier.verify(createPublicKey(privateKey), signature!, 'base64url')).toBe(true);
      expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
        iss: 'me@p.example',
        aud: tokenUrl,
      });
      tokenAnswer.body = { access_token: 'short', expires_in: 60 };
      const other = providerOf('vertex');
      await ask(other);
      await ask(other);
      expect(tokenRequests).toHaveLength(3);
    });

    it('are not asked if the token endpoint rejects the account', async () => {
      tokenAnswer = { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
      expect(await failureOf(providerOf('vertex'))).toMatchObject({ code: 'provider_error', permanent: true });
      expect(server.requests).toHaveLength(0);
    });
  });

  it.each<[string, Partial<TurnFailure>]>([
    ['throttlingException', { code: 'provider_rate_limited', permanent: false }],
    ['validationException', { code: 'provider_error', permanent: true }],
    ['internalServerException', { code: 'provider_error', permanent: false }],
    ['serviceUnavailableException', { code: 'provider_error', permanent: false }],
    ['modelStreamErrorException', { code: 'provider_error', permanent: false }],
    ['InternalError', { code: 'provider_error', permanent: false }],
  ])('on Bedrock fail with the error that a stream contains: %s', async (exception, failure) => {
    server.respondWith({ text: 'I', exception });
    const message = `x reported an error: scripted ${exception}`;
    expect(await failureOf(providerOf('bedrock with a key'))).toMatchObject({ ...failure, message });
  });

  it.each([
    ['a small value in many messages', '[1]', 30_000, undefined],
    ['one message with many values', `[${'1,'.repeat(30_000)}1]`, 1, 'too_large'],
  ])('on Bedrock are limited by message: %s', async (_, json, count, reason) => {
    const payload = Buffer.from(json);
    const message = Buffer.alloc(16 + payload.length);
    message.writeUInt32BE(message.length, 0);
    payload.copy(message, 12);
    const answer = new Response(Buffer.concat(Array.from({ length: count }, () => message)), {
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    });
    const network = new WatchedFetch(() => Promise.resolve(answer), { type: 'bedrock', api: null });
    const response = await network.fetch('http://bedrock.example');
    await response.arrayBuffer().catch(() => undefined);
    expect(network.failure).toEqual(reason === undefined ? undefined : expect.objectContaining({ reason }));
  });
});
