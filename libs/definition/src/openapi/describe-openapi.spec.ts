import type { JsonObject, JsonValue } from '@app/kernel';
import { crmDocument } from '../../../../test/fixtures/crm-openapi.js';
import { schemaValidator } from '@app/json-schema';
import { includedOperation } from '../model/included-operation.js';
import { describeOpenapi } from './describe-openapi.js';
import { OpenapiDocument, UnusableDocument } from './openapi-document.js';

const describeCrm = (include: JsonValue[], document: unknown = crmDocument()) =>
  describeOpenapi(OpenapiDocument.of(document as JsonObject), {
    tool: 'crm',
    include: include.map(includedOperation),
    url: 'https://crm.example/docs/openapi.json',
    hasBaseUrl: false,
  });

const operation = (name: string, document?: unknown) => {
  const { description, problems } = describeCrm([name], document);
  const found = description.operations[name];
  if (!found) throw new Error(JSON.stringify(problems));
  return found;
};

const withSchema = (schema: JsonObject, schemas: JsonObject = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example' }],
  paths: { '/x': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema } } } } } },
  components: { schemas },
});

describe('an operation of an OpenAPI document', () => {
  it('has its parameters in one flat request, without headers that the tool sets', () => {
    const { request, readsOnly, description, http } = operation('getCustomer');
    expect(Object.keys(request.properties as JsonObject)).toEqual(['fields', 'filter', 'X-Trace', 'session', 'id']);
    expect(request).toMatchObject({ required: ['id'], additionalProperties: false });
    expect({ readsOnly, description }).toEqual({ readsOnly: true, description: 'One customer' });
    expect(http).toMatchObject({ method: 'GET', path: [{ text: '/customers/' }, { parameter: 'id' }] });
  });

  it('has the members of its body in the same request, under another name if theirs is taken', () => {
    const { request, readsOnly, http } = operation('replaceCustomer');
    expect(Object.keys(request.properties as JsonObject)).toEqual(['id', 'name', 'body_id', 'age', 'friends']);
    expect(request.required).toEqual(['id', 'name']);
    expect(readsOnly).toBe(false);
    expect(http?.parameters).toContainEqual(expect.objectContaining({ property: 'body_id', name: 'id', in: 'body' }));
  });

  it('has a body that is not an object as one property', () => {
    expect(operation('addNotes').request).toMatchObject({
      required: ['body'],
      properties: { body: { type: 'array', items: { type: 'string' } } },
    });
  });

  it('has self-contained schemas of JSON Schema 2020-12, also for recursive schemas', () => {
    const { validate } = schemaValidator(operation('replaceCustomer').request);
    expect(validate({ id: '1', name: 'a', age: 1, friends: [{ name: 'b', friends: [{ name: 'c' }] }] })).toEqual([]);
    expect(validate({ id: '1', name: 'a', age: null })).toEqual([]);
    expect(validate({ id: '1', name: 'a', age: 0 })).toMatchObject([{ pointer: '/age' }]);
    expect(validate({ id: '1', name: 'a', friends: [{ name: 'b', friends: [{ name: 3 }] }] })).toMatchObject([
      { pointer: '/friends/0/friends/0/name' },
    ]);
  });

  it('is included by any id, by its place, or under another name', () => {
    const get = (operationId?: string) => ({ get: { ...(operationId !== undefined && { operationId }) } });
    const document = {
      openapi: '3.0.3',
      servers: [{ url: 'https://a.example' }],
      paths: {
        '/repos': get('repos/get'),
        '/dns': get('secondary-dns-(-primary-zone)-list'),
        '/tags': get("List a Tag's Values"),
        '/files': get('put_files_id#add_shared_link'),
        '/pets/all': get(),
        '/a': get('twice'),
        '/b': get('twice'),
        '/3d': get('3d'),
      },
    };
    const include = [
      'repos/get',
      { id: 'repos/get', as: 'get_repository' },
      'secondary-dns-(-primary-zone)-list',
      "List a Tag's Values",
      'put_files_id#add_shared_link',
      'GET /pets/all',
      { id: 'GET /b', as: 'b' },
      '3d',
    ];
    const { description, problems } = describeCrm(include, document);
    expect(problems).toEqual([]);
    expect(Object.entries(description.operations).map(([name, { http }]) => [name, http?.path[0]])).toEqual([
      ['repos_get', { text: '/repos' }],
      ['get_repository', { text: '/repos' }],
      ['secondary-dns-_-primary-zone_-list', { text: '/dns' }],
      ['List_a_Tag_s_Values', { text: '/tags' }],
      ['put_files_id_add_shared_link', { text: '/files' }],
      ['GET_pets_all', { text: '/pets/all' }],
      ['b', { text: '/b' }],
      ['op_3d', { text: '/3d' }],
    ]);
    expect(describeCrm(['twice'], document).problems).toMatchObject([
      { severity: 'error', key: ['include', 0], suggestion: expect.stringContaining('"GET /a"') },
    ]);
    expect(describeCrm(['repos/gte'], document).problems[0]?.suggestion).toContain('repos/get');
  });

  it('is sent to the server of the document, relative to the address of the document', () => {
    expect(operation('getCustomer').http?.baseUrl).toBe('https://crm.example/v2');
    expect(operation('getCustomer', crmDocument('https://eu.example/api/')).http?.baseUrl).toBe(
      'https://eu.example/api',
    );
    const variable = {
      ...crmDocument(),
      servers: [{ url: 'https://{r}.example', variables: { r: { default: 'eu' } } }],
    };
    expect(operation('getCustomer', variable).http?.baseUrl).toBe('https://eu.example');
  });

  it.each([
    ['getCustomers', /has no operation/, /did you mean `getCustomer`/i],
    ['mix', /cannot send/, undefined],
    ['styled', /style/, undefined],
    ['broken', /points to nothing/, undefined],
    ['elsewhere', /another document/, undefined],
  ])('cannot be included: %s', (name, detail, suggestion) => {
    const { problems } = describeCrm(['getCustomer', name]);
    expect(problems).toMatchObject([{ severity: 'error', tool: 'crm', key: ['include', 1] }]);
    expect(problems[0]?.detail).toMatch(detail);
    if (suggestion) expect(problems[0]?.suggestion).toMatch(suggestion);
  });

  it('is rejected if references lead in a circle or schemas are too deep', () => {
    const circle = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } };
    const { problems } = describeCrm(['x'], withSchema({ $ref: '#/components/schemas/A' }, circle));
    expect(problems[0]?.detail).toMatch(/circular/);
    let deep: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 500; depth++) deep = { type: 'array', items: deep };
    expect(describeCrm(['x'], withSchema(deep)).problems[0]?.detail).toMatch(/too deep/);
  });

  it('joins at most 500 schemas by `allOf` to one body', () => {
    const body = (parts: number) => ({
      allOf: Array.from({ length: parts }, (_, n) => ({
        type: 'object',
        properties: { [`p${n}`]: { type: 'string' } },
      })),
    });
    expect(Object.keys(operation('x', withSchema(body(499))).request.properties as JsonObject)).toHaveLength(499);
    expect(describeCrm(['x'], withSchema(body(500))).problems).toMatchObject([
      { severity: 'error', key: ['include', 0], detail: expect.stringContaining('more than 500 schemas with `allOf`') },
    ]);
  });

  it.each([
    ['3.0.3', { text: 'long text' }, []],
    ['3.1.0', { text: 'long text' }, [{ pointer: '/text' }]],
  ])('treats keywords next to a `$ref` as OpenAPI %s does', (openapi, request, errors) => {
    const member = { $ref: '#/components/schemas/Text', maxLength: 3 };
    const document = withSchema({ type: 'object', properties: { text: member } }, { Text: { type: 'string' } });
    const { validate } = schemaValidator(operation('x', { ...document, openapi }).request);
    expect(validate(request)).toMatchObject(errors);
    expect(validate({ text: 3 })).toMatchObject([{ pointer: '/text' }]);
  });

  it('requires no property that only responses contain', () => {
    const Item = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { $ref: '#/components/schemas/Id' }, name: { type: 'string' } },
    };
    const schemas = { Item, Id: { type: 'string', readOnly: true } };
    const body = { type: 'object', properties: { item: { $ref: '#/components/schemas/Item' } } };
    const { validate } = schemaValidator(operation('x', withSchema(body, schemas)).request);
    expect(validate({ item: { name: 'a' } })).toEqual([]);
    expect(validate({ item: {} })).toMatchObject([{ pointer: '/item/name' }]);
  });

  it('is not included if the descriptions are too long together', () => {
    const long = { type: 'string', enum: ['x'.repeat(512 * 1024)] };
    const parameters = [{ name: 'a', in: 'query', schema: { $ref: '#/components/schemas/Long' } }];
    const names = [...'abcdefghi'];
    const paths = Object.fromEntries(names.map((name) => [`/${name}`, { get: { operationId: name, parameters } }]));
    const { description, problems } = describeCrm(names, { ...withSchema({}, { Long: long }), paths });
    expect(Object.keys(description.operations)).toEqual([...'abcdefg']);
    expect(problems).toMatchObject([
      { key: ['include', 7], detail: expect.stringContaining('up to `h` have more than 4 MiB') },
    ]);
  });

  it('has the schema dialect that the document names', () => {
    const properties = { list: { type: 'array', items: [{ type: 'string' }] } };
    const document = (jsonSchemaDialect: string) => ({
      ...withSchema({ type: 'object', properties }),
      jsonSchemaDialect,
    });
    const draft = document('http://json-schema.org/draft-07/schema#');
    // In draft-07, an array as the value of `items` describes a tuple.
    const { request } = operation('x', draft);
    expect(request.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schemaValidator(request).validate({ list: [3] })).toMatchObject([{ pointer: '/list/0' }]);
    expect(describeCrm(['x'], draft).problems).toEqual([]);
  });

  it('cannot change a prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}',
    ) as JsonObject;
    describeCrm(['x'], withSchema(schema));
    expect(({} as { type?: string }).type).toBeUndefined();
  });
});

describe('an OpenAPI document', () => {
  it('is read as JSON or as YAML', () => {
    expect(OpenapiDocument.read('openapi: 3.1.0\npaths: {}').root).toMatchObject({ openapi: '3.1.0' });
    expect(OpenapiDocument.read('{"openapi": "3.0.0"}').hasOldSchemas).toBe(true);
    expect(OpenapiDocument.read('swagger: 2.0').isSwagger).toBe(true);
  });

  it.each(['[]', '{"swagger": "1.2"}', '{"openapi": "4.0.0"}', ': :'])(
    'is rejected if it is something else: %s',
    (text) => expect(() => OpenapiDocument.read(text)).toThrow(UnusableDocument),
  );

  it.each([
    ['openapi: 3.1.0\npaths: a: b', 'nor valid YAML: Nested mappings are not allowed in compact mappings at line 2'],
    ['a: &a [1]\nb: *a', 'aliases'],
    ['#'.repeat(8 * 1024 * 1024 + 1), 'at most 8 MiB'],
  ])('is rejected if its YAML cannot be read: %.20s', (text, message) => {
    expect(() => OpenapiDocument.read(text)).toThrow(message);
  });
});
