import type { JsonObject } from '@app/kernel';
import { schemaValidator } from '@app/json-schema';
import { includedOperation } from '../model/included-operation.js';
import { describeOpenapi } from './describe-openapi.js';
import { OpenapiDocument } from './openapi-document.js';

const PET = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer', readOnly: true } } };

function petStore(root: JsonObject = {}, operation: JsonObject = {}): JsonObject {
  return {
    swagger: '2.0',
    host: 'pets.example',
    basePath: '/v2',
    schemes: ['http', 'https'],
    paths: {
      '/pets/{kinds}': {
        parameters: [{ $ref: '#/parameters/Kinds' }],
        post: { operationId: 'op', ...operation },
      },
    },
    parameters: { Kinds: { name: 'kinds', in: 'path', required: true, type: 'array', items: { type: 'string' } } },
    definitions: {
      Pet: { ...PET, properties: { ...PET.properties, name: { type: 'string', 'x-nullable': true } } },
    },
    ...root,
  };
}

function described(document: JsonObject, url: string | null = 'http://docs.example:8080/swagger.json') {
  const source = { tool: 'pets', include: [includedOperation('op')], url, hasBaseUrl: false };
  return describeOpenapi(OpenapiDocument.of(document), source);
}

function operationOf(document: JsonObject, url?: string | null) {
  const { description, problems } = described(document, url);
  if (!description.operations.op) throw new Error(JSON.stringify(problems));
  return description.operations.op;
}

const field = (name: string, settings: JsonObject = {}): JsonObject => ({
  name,
  in: 'formData',
  type: 'string',
  ...settings,
});

describe('an operation of a Swagger 2.0 document', () => {
  it('has the parameters of the document, with their schemas and formats', () => {
    const parameters: JsonObject[] = [
      { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
      { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' }, maxItems: 2 },
      { name: 'sort', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
      { name: 'words', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'ssv' },
      { name: 'X-Limit', in: 'header', type: 'integer', maximum: 9, exclusiveMaximum: true },
    ];
    const { request, http } = operationOf(petStore({}, { parameters }));
    expect(http?.parameters).toEqual([
      { property: 'tags', name: 'tags', in: 'query', style: 'form', explode: true },
      { property: 'ids', name: 'ids', in: 'query', style: 'form', explode: false },
      { property: 'sort', name: 'sort', in: 'query', style: 'pipeDelimited', explode: false },
      { property: 'words', name: 'words', in: 'query', style: 'spaceDelimited', explode: false },
      { property: 'X-Limit', name: 'X-Limit', in: 'header', style: 'simple', explode: false },
      { property: 'kinds', name: 'kinds', in: 'path', style: 'simple', explode: false },
    ]);
    const { validate } = schemaValidator(request);
    expect(validate({ kinds: ['cat'], ids: [1, 2], 'X-Limit': 8 })).toEqual([]);
    expect(validate({ kinds: ['cat'], ids: [1, 2, 3] })).toMatchObject([{ pointer: '/ids' }]);
    expect(validate({ kinds: ['cat'], 'X-Limit': 9 })).toMatchObject([{ pointer: '/X-Limit' }]);
    expect(validate({})).toMatchObject([{ pointer: '/kinds' }]);
  });

  it('has the members of its body', () => {
    const body = { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } };
    const { request, http } = operationOf(petStore({}, { parameters: [body] }));
    expect(request).toMatchObject({ required: ['kinds', 'name'], properties: { name: { type: ['string', 'null'] } } });
    expect(http?.body).toEqual({ kind: 'json', contentType: 'application/json', isRequired: true });
    const consumes = ['application/vnd.api+json'];
    expect(operationOf(petStore({ consumes }, { parameters: [body] })).http?.body?.contentType).toBe(consumes[0]);
    expect(operationOf(petStore({ consumes }, { parameters: [body], consumes: [] })).http?.body?.contentType).toBe(
      'application/json',
    );
  });

  it.each([
    [[], [field('a')], 'form', 'application/x-www-form-urlencoded'],
    [['multipart/form-data'], [field('a')], 'multipart', 'multipart/form-data'],
    [['application/x-www-form-urlencoded', 'multipart/form-data'], [field('a')], 'form', expect.any(String)],
    [[], [field('a'), field('f', { type: 'file' })], 'multipart', 'multipart/form-data'],
  ])('has the fields of its form: %j %j', (consumes, parameters, kind, contentType) => {
    const { http } = operationOf(petStore({ consumes }, { parameters }));
    expect(http?.body).toEqual({ kind, contentType, isRequired: false });
    expect(http?.parameters).toContainEqual({ property: 'a', name: 'a', in: 'body', style: 'form', explode: true });
  });

  it('has files and lists in its form', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const parameters = [
      field('photo', { type: 'file', required: true }),
      field('tags', list),
      field('notes', { ...list, collectionFormat: 'multi' }),
    ];
    const { request, http } = operationOf(petStore({}, { parameters }));
    expect(request).toMatchObject({
      required: ['kinds', 'photo'],
      properties: { photo: { type: 'object', properties: { base64: { type: 'string' } } } },
    });
    expect(http?.parameters.map(({ name, explode }) => [name, explode])).toEqual([
      ['kinds', false],
      ['photo', true],
      ['tags', false],
      ['notes', true],
    ]);
  });

  it.each([
    ['tsv', 'query'],
    ['multi', 'header'],
    ['pipes', 'path'],
  ])('is refused if it has a list that cannot be sent: %s in %s', (collectionFormat, place) => {
    const parameters = [{ name: 'kinds', in: place, type: 'array', items: { type: 'string' }, collectionFormat }];
    expect(described(petStore({}, { parameters })).problems).toMatchObject([
      { key: ['include', 0], detail: expect.stringMatching(/`kinds` has the `collectionFormat` `\w+`, .*`include`/) },
    ]);
  });

  it.each([
    [{}, {}, 'https://pets.example/v2'],
    [{}, { schemes: ['http'] }, 'http://pets.example/v2'],
    [{ schemes: ['wss'] }, {}, 'http://pets.example/v2'],
    [{ host: null }, {}, 'https://docs.example:8080/v2'],
    [{ host: null, schemes: null, basePath: null }, {}, 'http://docs.example:8080'],
  ])('is sent to the server of the document: %j %j', (root, operation, server) => {
    expect(operationOf(petStore(root, operation)).http?.baseUrl).toBe(server);
  });

  it('needs a host if the definition contains the document', () => {
    expect(operationOf(petStore({ schemes: null }), null).http?.baseUrl).toBe('https://pets.example/v2');
    expect(described(petStore({ host: null }), null).problems[0]?.detail).toContain('names no usable server');
  });
});
