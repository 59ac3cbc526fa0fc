import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { READABLE_TYPES } from '@app/platform/extraction';
import { RouteTableService, templateOf } from '../../apps/api/src/http/route-table.service.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { type ApiDocument, OpenApiContract } from '../support/openapi-contract.js';

/** Returns the paths of the fields below a schema that have no description. */
function undescribedFields(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'example' || key === 'examples') return [];
    if (key !== 'properties') return undescribedFields(value, path);
    return Object.entries(value as Record<string, { description?: string }>).flatMap(([name, field]) => [
      ...(field.description ? [] : [`${path}.${name}`]),
      ...undescribedFields(field, `${path}.${name}`),
    ]);
  });
}

/** Returns the JSON Schema keywords in a schema and its inner schemas. Names of properties do not count. */
function keywordsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(keywordsIn);
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    const inner = key === 'properties' ? Object.values(value as object).flatMap(keywordsIn) : keywordsIn(value);
    return [key, ...inner];
  });
}

/** Returns the paths of the schemas that allow a list of which they do not describe the items. */
function listsWithoutItems(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, items } = schema as { type?: unknown; items?: unknown };
  const parts = Object.entries(schema).filter(([key]) => key !== 'example');
  const inner = parts.flatMap(([key, value]) => listsWithoutItems(value, `${path}/${key}`));
  return [type].flat().includes('array') && items === undefined ? [path, ...inner] : inner;
}

const AGENTS = join(import.meta.dirname, '../fixtures/agents');

describe('the OpenAPI document', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let contract: OpenApiContract;

  beforeAll(async () => {
    api = await startApi();
    tenant = await api.newTenant();
    contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
  });

  afterAll(() => api.close());

  it('is OpenAPI 3.1 and describes exactly the routes that are served', () => {
    expect(contract.document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(contract.document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const routes = api.app
      .get(RouteTableService)
      .all()
      .map(({ method, path }) => `${method} ${templateOf(path)}`);
    expect(
      contract
        .operations()
        .map(({ route }) => route)
        .sort(),
    ).toEqual([...routes].sort());
  });

  it('names every operation once, sorts it under a tag that exists, and says who may call it', () => {
    const operations = contract.operations();
    const tags = contract.document.tags.map((tag) => tag.name);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { route, operation } of operations) {
      expect([route, operation.summary]).toEqual([route, expect.stringMatching(/^\S.+[^.]$/)]);
      expect(operation.tags).toHaveLength(1);
      expect(tags).toContain(operation.tags[0]);
      for (const name of operation.security.flatMap((each) => Object.keys(each))) {
        expect(contract.document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it('names the headers that answers of a status always have', () => {
    const named = { '401': 'WWW-Authenticate', '429': 'Retry-After' };
    for (const [status, header] of Object.entries(named)) {
      const answers = contract.operations().flatMap(({ operation }) => operation.responses[status] ?? []);
      expect(answers.length).toBeGreaterThan(0);
      for (const { headers } of answers) expect(headers).toHaveProperty(header);
    }
  });

  it('declares every parameter of a path, each parameter once', () => {
    for (const { route, path, operation } of contract.operations()) {
      const parameters = operation.parameters ?? [];
      const names = parameters.map((each) => `${each.in} ${each.name}`);
      expect([route, new Set(names).size]).toEqual([route, names.length]);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = parameters.filter((each) => each.in === 'path');
      expect([route, declared.map((each) => each.name)]).toEqual([route, inPath]);
      expect(declared.every((each) => each.required)).toBe(true);
    }
  });

  it('describes for every operation a success and its failures, all with schemas that compile', () => {
    for (const { route, path, method, operation } of contract.operations()) {
      const statuses = Object.keys(operation.responses);
      expect([route, statuses.some((status) => /^[23]/.test(status))]).toEqual([route, true]);
      const expected = operation.security.length > 0 ? ['400', '401', '500', '503'] : ['400', '500', '503'];
      expect(statuses).toEqual(expect.arrayContaining(expected));
      for (const [status, response] of Object.entries(operation.responses)) {
        const types = Object.keys(response.content ?? {});
        const hasBody = !['204', '302', '303', '304'].includes(status);
        expect([route, status, response.description.length > 0, types.length > 0]).toEqual([
          route,
          status,
          true,
          hasBody,
        ]);
        expect([route, status, types.includes('application/problem+json')]).toEqual([
          route,
          status,
          status === 'default' || Number(status) >= 400,
        ]);
        for (const type of types) {
          contract.schemaAt('paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
        }
      }
    }
    for (const name of Object.keys(contract.document.components.schemas))
      contract.schemaAt('components', 'schemas', name);
  });

  it('has only schemas whose required members exist, and refers to nothing that is missing', () => {
    for (const [name, schema] of Object.entries(contract.document.components.schemas)) {
      const properties = Object.keys(schema.properties ?? {});
      expect([name, properties]).toEqual([name, expect.arrayContaining((schema.required ?? []) as string[])]);
    }
    const text = JSON.stringify({ ...contract.document, components: { ...contract.document.components, schemas: {} } });
    for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(contract.document).toHaveProperty((pointer ?? '').split('/'));
    }
  });

  it('describes definitions as text in YAML and by components in JSON, with examples that the service accepts', async () => {
    const bodies = contract.operations().filter(({ operation }) => operation.requestBody?.content['application/yaml']);
    expect(bodies.map(({ operation }) => operation.operationId)).toEqual(
      expect.arrayContaining(['createAgent', 'createAgentVersion', 'validateDefinition']),
    );
    for (const { operation } of bodies) {
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        const isJson = type === 'application/json';
        expect(media.schema).toEqual(isJson ? { $ref: '#/components/schemas/AgentDefinition' } : { type: 'string' });
        // The aliases of application/yaml have no example of their own.
        const { examples = operation.requestBody?.content['application/yaml']?.examples } = media;
        const body = examples?.greeter?.value;
        const options = { key: tenant.adminKey, body, headers: { 'Content-Type': type } };
        expect((await api.call('POST', '/v1/definitions/validate', options)).body).toMatchObject({ valid: true });
      }
    }
  });

  it('has one form of a list: a page with `data`, which names its next page only if there is one', () => {
    const lists = Object.entries(contract.document.components.schemas).flatMap(([name, { properties, required }]) => {
      const { data, next_cursor: cursor } = (properties ?? {}) as Record<string, { type?: string } | undefined>;
      return data?.type === 'array' ? [{ name, cursor, required: required as string[] }] : [];
    });
    expect(lists.length).toBeGreaterThan(20);
    // A report is a sum by group, not a list of resources.
    expect(lists.map(({ name }) => name).filter((name) => !name.endsWith('Page'))).toEqual([
      'RunStatistics',
      'UsageReport',
    ]);
    const unlike = lists.filter(
      ({ cursor, required }) => cursor && (cursor.type !== 'string' || required.includes('next_cursor')),
    );
    expect(unlike).toEqual([]);
  });

  it('describes the fields that only some problems have', async () => {
    const write = { key: tenant.adminKey, body: { name: 'stale', steps: [{ id: 'a', output: 'done' }] } };
    const { id } = (await api.call('POST', '/v1/agents', write)).body;
    const { body } = await api.call('POST', `/v1/agents/${id}/versions`, { ...write, headers: { 'If-Match': '"9"' } });
    expect(body).toMatchObject({ code: 'precondition_failed', latest_version: 1 });
    expect(contract.schemaViolations('Problem', body)).toEqual([]);
    expect(contract.schemaViolations('Problem', { ...body, latest: 1 })).toHaveLength(1);
  });

  it('describes a document that is pushed as text, as files, and as bytes', () => {
    const push = contract.operations().find(({ operation }) => operation.operationId === 'pushDocument');
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const { content = {} } = push?.operation.requestBody ?? {};
    expect(Object.entries(content).map(([type, { schema }]) => [type, schema])).toEqual([
      ['application/json', { oneOf: [ref('PushTextBody'), ref('PushFileBody')] }],
      ['multipart/form-data', { $ref: '#/components/schemas/PushFilesBody', description: expect.any(String) }],
      ...READABLE_TYPES.map((type) => [type, expect.objectContaining({ type: 'string', format: 'binary' })]),
    ]);
  });

  it('says what the items of every list are', () => {
    expect(listsWithoutItems(contract.document.components.schemas, '')).toEqual([]);
  });

  it('names no schema after the class that describes it', () => {
    const names = Object.keys(contract.document.components.schemas);
    expect(names.filter((name) => /(Resource|Dto)$/.test(name))).toEqual([]);
  });

  it('describes definitions without the keywords that only validators understand', () => {
    const { schemas } = contract.document.components;
    const definition = Object.entries(schemas).filter(([name]) => name.startsWith('AgentDefinition'));
    expect(definition.length).toBeGreaterThan(50);
    const unwelcome = definition.flatMap(([name, schema]) =>
      keywordsIn(schema).map((keyword) => `${name}: ${keyword}`),
    );
    expect(unwelcome.filter((each) => /: (\$id|\$schema|\$defs|if|then|else)$/.test(each))).toEqual([]);
  });

  it('accepts by its components what the validator of definitions accepts', async () => {
    const validate = contract.schemaAt('components', 'schemas', 'AgentDefinition');
    for (const name of await readdir(AGENTS)) {
      const definition = parse(await readFile(join(AGENTS, name), 'utf8')) as object;
      expect([name, validate(definition), validate.errors]).toEqual([name, true, null]);
      expect([name, validate({ ...definition, stpes: [] })]).toEqual([name, false]);
    }
  });

  it('describes every operation, every parameter and every field of a body', () => {
    const { schemas } = contract.document.components;
    const undescribed = Object.entries(schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...undescribedFields(schema, name),
    ]);
    for (const { route, operation } of contract.operations()) {
      expect([route, operation.summary]).toEqual([route, expect.stringMatching(/^[A-Z][a-z]+ \S/)]);
      expect([route, operation.description]).toEqual([route, expect.stringMatching(/^[A-Z].+\.\n\nRequires .+\.$/s)]);
      const parameters = (operation.parameters ?? []).filter(({ description }) => !description);
      undescribed.push(...parameters.map(({ name }) => `${route} ${name}`));
    }
    for (const [type, message] of Object.entries(contract.document.webhooks)) {
      undescribed.push(...undescribedFields(message, type));
    }
    expect(undescribed).toEqual([]);
  });

  /**
   * Returns the shared examples in the document: those of problems by error code, and those of responses by schema
   * name.
   */
  const sharedExamples = () =>
    (contract.document.components as unknown as { examples: Record<string, { value: unknown }> }).examples;

  it('has an example for every body except pages, which keeps its schema', () => {
    for (const { route, body, pointer } of contract.bodies()) {
      for (const [type, { example, examples, schema }] of Object.entries(body.content ?? {})) {
        if (/schemas\/\w+Page"/.test(JSON.stringify(schema))) continue;
        const shown = example === undefined ? Object.values(examples ?? {}) : [{ value: example }];
        expect([route, type, shown.length > 0]).toEqual([route, type, true]);
        const validate = contract.schemaAt(...pointer, 'content', type, 'schema');
        for (const { value, $ref } of shown) {
          // Other tests check the examples of definitions and of problems.
          if (type === 'application/problem+json' || examples?.greeter) continue;
          const example = $ref === undefined ? value : sharedExamples()[$ref.slice($ref.lastIndexOf('/') + 1)]?.value;
          expect([route, type, validate(example), validate.errors]).toEqual([route, type, true, null]);
        }
      }
    }
  });

  it('has problem examples that keep its own schema', () => {
    const problem = contract.schemaAt('components', 'schemas', 'Problem');
    const codes = Object.entries(sharedExamples()).filter(([name]) => /^[a-z]/.test(name));
    expect(codes.length).toBeGreaterThan(30);
    for (const [code, { value }] of codes) {
      expect([code, problem(value), problem.errors]).toEqual([code, true, null]);
      expect(value).toMatchObject({ code });
    }
  });

  describe('as a page', () => {
    it('is readable at /docs, with nothing from any other host', async () => {
      const page = await api.call('GET', '/docs');
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
      const sources = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) {
        const asset = await api.call('GET', new URL(source, `${api.url}/docs`).pathname);
        expect([source, asset.status]).toEqual([source, 200]);
        expect(new URL(source, `${api.url}/docs`).origin).toBe(api.url);
      }
    });

    it('shows this very document', async () => {
      const { body } = await api.call('GET', '/docs/swagger-ui-init.js');
      for (const { operation } of contract.operations()) expect(body).toContain(operation.operationId);
    });
  });
});
