import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES, ID_PREFIXES } from '@app/kernel';
import fc from 'fast-check';
import { parse } from 'yaml';

import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { DescribedValues, type Schema } from '../support/fuzz/described-values.js';
import { brokenBody, hostileJson, hostileText } from '../support/fuzz/hostile-values.js';
import { mutationsOf } from '../support/fuzz/mutations.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';

/**
 * Number of random requests for each operation and each example. For a longer search, use `FUZZ_REQUESTS=200
 * FUZZ_SEED=$RANDOM npx jest …`.
 */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 5);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
/** Time limit of each request. It is long, so that it also suffices on a busy machine. */
const HANGS_AFTER_MS = 20_000;
/** Matches ids, but not those of requests, which are in each error and would displace the others. */
const { request: _, ...PREFIXES_SEEN } = ID_PREFIXES;
const ID = new RegExp(`\\b(?:${Object.values(PREFIXES_SEEN).join('|')})_[0-9a-z]{26}\\b`, 'g');
/**
 * Matches internal details that a response must not contain: file names with lines, SQL statements and messages of the
 * database driver.
 */
const INSIDE =
  /\bat .+\.[jt]s:\d+|node_modules|select .+ from|insert into|QueryFailed|TypeError|syntax error at or near/i;

/**
 * Maps a path segment to the prefix of the ids that follow it. After any other segment, the path contains a name or a
 * number.
 */
const PREFIXES: Readonly<Record<string, string>> = {
  agents: 'agt',
  evaluations: 'evl',
  runs: 'run',
  approvals: 'apr',
  'bulk-actions': 'bulk',
  connections: 'con',
  files: 'file',
  members: 'mem',
  'api-keys': 'key',
  'knowledge-bases': 'kb',
  sources: 'src',
  syncs: 'syn',
  documents: 'doc',
  'webhook-endpoints': 'whe',
  deliveries: 'dlv',
  sessions: 'ses',
  'oauth-clients': 'mcl',
};

interface Request {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

describe('every operation, asked with values that fit, nearly fit and were made to break it', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let key: string;
  let contract: OpenApiContract;
  let values: DescribedValues;
  /** All ids and names in responses. Later requests use them, so that they find existing objects. */
  const seen = new Set<string>(['1', 'admin@example.com', 'greeter', 'OWN']);

  const known = fc.nat({ max: 1_000 }).map((n) => [...seen][n % seen.size] ?? '');

  /**
   * Generates an id or a name that fits the path segment, for example the id of an agent for `/agents/{id}`. Generates
   * `1` if earlier responses contained no id or name that fits.
   */
  const knownAt = (collection: string): fc.Arbitrary<string> =>
    fc.nat({ max: 1_000 }).map((n) => {
      const prefix = `${PREFIXES[collection] ?? 'none'}_`;
      const fitting = [...seen].filter((name) => (prefix === 'none_' ? !name.includes('_') : name.startsWith(prefix)));
      return fitting[n % fitting.length] ?? '1';
    });

  beforeAll(async () => {
    api = await startApi();
    tenant = await api.newTenant();
    key = tenant.adminKey;
    contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    values = new DescribedValues(contract.document.components.schemas, known);
    await someThings();
  });

  afterAll(() => api.close());

  async function someThings(): Promise<void> {
    const headers = { 'Content-Type': 'application/yaml' };
    const { body: agent } = await api.call('POST', '/v1/agents', { key, headers, body: GREETER });
    for (const path of ['/v1/agents', `/v1/agents/${agent.id}/runs`, '/v1/knowledge-bases', '/v1/webhook-endpoints']) {
      const bodies = [
        { input: { name: 'Ada' } },
        { name: 'base' },
        { url: 'https://example.com', events: ['run.completed'] },
      ];
      for (const body of bodies) remember(JSON.stringify((await api.call('POST', path, { key, body })).body));
    }
    remember(JSON.stringify(agent));
  }

  function remember(text: string): void {
    for (const [id] of text.matchAll(ID)) if (seen.size < 1_000) seen.add(id);
  }

  const encoded = (text: string): string => encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed());

  function paths({ path, operation }: DescribedOperation): fc.Arbitrary<string> {
    const names = [...path.matchAll(/([^/]+)\/(\{\w+\})/g)].map(([, collection = '', name = '']) => ({
      collection,
      name,
    }));
    const named = names.map(({ collection }) =>
      fc.oneof(
        { weight: 8, arbitrary: knownAt(collection) },
        { weight: 1, arbitrary: known },
        { weight: 1, arbitrary: hostileText },
      ),
    );
    const query = (operation.parameters ?? []).filter((each) => each.in === 'query');
    const pairs = query.map(({ name, schema }) =>
      fc
        .oneof({ weight: 2, arbitrary: values.of(schema as Schema) }, { weight: 1, arbitrary: hostileText })
        .map((value) => `${name}=${encoded(typeof value === 'string' ? value : JSON.stringify(value))}`),
    );
    const odd = fc.constantFrom('limit[]=1', 'limit=1&limit=2', 'a[b][c]=1', '__proto__[x]=1', '&&&', 'cursor=%ff');
    return fc
      .tuple(
        fc.tuple(...named),
        fc.subarray([...pairs, odd]).chain((each) => fc.tuple(...each)),
      )
      .map(([parts, search]) => {
        const filled = names.reduce((whole, { name }, n) => whole.replace(name, encoded(parts[n] ?? '')), path);
        return search.length > 0 ? `${filled}?${search.join('&')}` : filled;
      });
  }

  function bodies({ operation }: DescribedOperation): fc.Arbitrary<[string | undefined, string | undefined]> {
    const described = Object.entries(operation.requestBody?.content ?? {});
    const fitting = described.map(([type, { schema }]) =>
      (/json/.test(type) ? values.of((schema ?? {}) as Schema) : hostileJson).map((value): [string, string] => [
        JSON.stringify(value),
        type,
      ]),
    );
    const type = fc.constantFrom(
      'application/json',
      'application/yaml',
      'text/plain',
      'application/octet-stream',
      'x',
      'application/json; charset=utf-16',
    );
    const broken = fc.tuple(brokenBody, fc.oneof(fc.constantFrom('application/json'), type));
    const nothing = fc.constant<[undefined, undefined]>([undefined, undefined]);
    const hostile = hostileJson.map((value): [string, string] => [JSON.stringify(value), 'application/json']);
    return fc.oneof(
      { weight: 1, arbitrary: nothing },
      { weight: 1, arbitrary: broken },
      { weight: 2, arbitrary: hostile },
      ...fitting.map((arbitrary) => ({ weight: 6, arbitrary })),
    );
  }

  function headers({ operation }: DescribedOperation): fc.Arbitrary<Record<string, string>> {
    const described = (operation.parameters ?? []).filter((each) => each.in === 'header').map(({ name }) => name);
    const value = hostileText.map((text) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 300));
    const names = [...described, 'accept', 'idempotency-key', 'if-match', 'x-request-id', 'x-forwarded-for'];
    return fc
      .subarray(names, { maxLength: 2 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, value]))));
  }

  const requests = (described: DescribedOperation): fc.Arbitrary<Request> =>
    fc.tuple(paths(described), headers(described), bodies(described)).map(([path, more, [body, type]]) => ({
      path,
      headers: { ...more, ...(type !== undefined && { 'content-type': type }) },
      body: described.method === 'GET' ? undefined : body,
    }));

  it('answers each definition that nearly is one', async () => {
    const folder = join(import.meta.dirname, '../fixtures/agents');
    const found: string[] = [];
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.yaml'))) {
      const definition: unknown = parse(await readFile(join(folder, file), 'utf8'));
      await fc.assert(
        fc.asyncProperty(mutationsOf(definition), async (mutation) => {
          const headers = { 'content-type': 'application/json' };
          const answer = await send('POST', {
            path: '/v1/definitions/validate',
            headers,
            body: JSON.stringify(mutation),
          });
          const wrong = complaint(answer);
          if (wrong !== undefined) found.push(`${file}: ${wrong}: ${JSON.stringify(mutation)} → ${answer.text}`);
        }),
        { numRuns: REQUESTS, seed: SEED },
      );
    }
    expect(found).toEqual([]);
  });

  async function send(method: string, { path, headers: more, body }: Request): Promise<Answer> {
    const response = await fetch(`${api.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${key}`, ...more },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
    });
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    // An event stream continues until the reader closes it.
    if (type === 'text/event-stream') await response.body?.cancel();
    const text = type === 'text/event-stream' ? '' : await response.text();
    return { status: response.status, type, text };
  }

  /** An error of the Model Context Protocol, which is no problem document. */
  function isProtocolError(type: string, text: string): boolean {
    if (type !== 'application/json') return false;
    const { jsonrpc, error } = JSON.parse(text) as { jsonrpc?: string; error?: { code: number } };
    return jsonrpc === '2.0' && Number.isInteger(error?.code);
  }

  /** Returns a text about how a response violates the contract of the API, or undefined if it does not. */
  function complaint({ status, type, text }: Answer): string | undefined {
    if (status < 400) return undefined;
    if (status >= 500) return `status ${status}`;
    if (isProtocolError(type, text)) return INSIDE.test(text) ? 'tells about the inside' : undefined;
    if (type !== 'application/problem+json') return `${status} as ${type}`;
    const problem = JSON.parse(text) as { code: string; status: number; request_id: string };
    if (!(problem.code in ERROR_CODES) || problem.status !== status || !problem.request_id)
      return 'no problem of the contract';
    return INSIDE.test(text) ? 'tells about the inside' : undefined;
  }

  it('answers each, in time, and what it refuses with a problem of the contract', async () => {
    const operations = contract.operations().filter(({ path }) => path.startsWith('/v1/'));
    expect(operations.length).toBeGreaterThan(50);
    const found: string[] = [];
    for (const described of operations) {
      await fc.assert(
        fc.asyncProperty(requests(described), async (request) => {
          const answer = await send(described.method, request);
          remember(answer.text);
          // The request may have revoked the API key or removed its owner. The test then continues with a new key.
          if (answer.status === 401 && !described.path.endsWith('/trigger')) key = await tenant.key('admin');
          const wrong = complaint(answer);
          if (wrong !== undefined)
            found.push(
              `${described.route}: ${wrong}: ${JSON.stringify(request).slice(0, 400)} → ${answer.text.slice(0, 300)}`,
            );
        }),
        { numRuns: REQUESTS, seed: SEED },
      );
    }
    expect(found).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(api.logged().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
