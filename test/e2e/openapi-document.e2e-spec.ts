import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiDocument } from '../support/openapi-contract.js';
import { namesOf } from '../support/released-names.js';

const SDK = join(import.meta.dirname, '../../packages/sdk');
const DOCUMENT = join(SDK, 'openapi.json');
const NAMES = join(SDK, 'openapi.names.txt');

/**
 * Settings that change which values the API accepts, which features it offers and how clients call it. None of them may
 * change the document.
 */
const ANOTHER_CONFIGURATION = {
  PUBLIC_URL: 'https://agents.example.com',
  MAX_INPUT_BYTES: '65536',
  IDEMPOTENCY_HOURS: '1',
  CURSOR_HOURS: '1',
  REGIONS: 'eu-west,us-east',
};

/**
 * Formats the document with one line for each operation and component, so that diffs and merges are readable and the
 * file stays small.
 */
function written(document: object): string {
  const lines = (value: unknown, depth: number): string => {
    if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
      return JSON.stringify(value);
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${lines(member, depth - 1)}`);
    return `{\n${members.join(',\n')}\n}`;
  };
  return `${lines(document, 3)}\n`;
}

/**
 * `npm run openapi` runs this test and writes the document and the list of names. In all other cases, the test compares
 * the files with the document that the API serves.
 */
describe('the committed OpenAPI document', () => {
  const isWriting = process.env.OPENAPI === 'write';
  let api: TestApi;
  let document: ApiDocument;

  beforeAll(async () => {
    api = await startApi();
    document = (await api.call('GET', '/v1/openapi.json')).body as ApiDocument;
    if (!isWriting) return;
    await writeFile(DOCUMENT, written(document));
    // Names in the file are only added and never removed. Conflict markers of a merge are ignored.
    const known = (await readFile(NAMES, 'utf8').catch(() => '')).split('\n').filter((line) => /^[a-z]/.test(line));
    const names = [...new Set([...known, ...namesOf(document)])].sort();
    await writeFile(NAMES, `${names.join('\n')}\n`);
  });

  afterAll(() => api.close());

  it('is the one that the api serves', async () => {
    const isCurrent = (await readFile(DOCUMENT, 'utf8')) === written(document);
    expect(isCurrent || 'packages/sdk/openapi.json is stale. Run `npm run openapi` and commit the result.').toBe(true);
  });

  it('lacks no operation, parameter, field or value that a client may use', async () => {
    const known = (await readFile(NAMES, 'utf8')).split('\n').filter(Boolean);
    const names = new Set(namesOf(document));
    // Removing a name breaks clients. If the removal is deliberate, delete its lines in openapi.names.txt in the same
    // commit.
    expect(known.filter((name) => !names.has(name))).toEqual([]);
    // `npm run openapi` adds new names.
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('notices the removal of an operation, a field and a value', () => {
    const { '/v1/runs': _runs, ...paths } = document.paths;
    const { Run, ...schemas } = document.components.schemas;
    const { status, id: _id, ...properties } = Run!.properties as Record<string, { enum: string[] }>;
    const less = { ...Run, properties: { ...properties, status: { ...status, enum: status?.enum.slice(1) } } };
    const changed = { ...document, paths, components: { ...document.components, schemas: { ...schemas, Run: less } } };
    const names = new Set(namesOf(changed));
    const missing = namesOf(document).filter((name) => !names.has(name));
    expect(missing).toEqual(
      expect.arrayContaining(['field Run.id', 'operation listRuns GET /v1/runs', 'value Run.status "queued"']),
    );
  });

  it('depends on the configuration only in its servers', async () => {
    const other = await startApi({ env: ANOTHER_CONFIGURATION });
    const { servers: _others, ...changed } = (await other.call('GET', '/v1/openapi.json')).body as { servers: object };
    await other.close();
    const { servers: _servers, ...given } = document as ApiDocument & { servers: object };
    expect(changed).toEqual(given);
  });

  it('has one copy of a parameter that several operations have', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const uses = new Map<string, number>();
    for (const text of operations.flatMap(({ parameters = [] }) => parameters.map((each) => JSON.stringify(each))))
      uses.set(text, (uses.get(text) ?? 0) + 1);
    const repeated = [...uses].filter(([text, count]) => count > 2 && !text.startsWith('{"$ref"'));
    expect(repeated).toEqual([]);
    expect(uses.get('{"$ref":"#/components/parameters/IdempotencyKey"}')).toBeGreaterThan(20);
  });

  it('has at most 4 KiB an operation', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
    expect(JSON.stringify(document).length / operations.length).toBeLessThanOrEqual(4 * 1024);
  });
});
