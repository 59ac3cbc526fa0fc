import type { JsonObject } from '@app/kernel';
import { schemaValidator } from '@app/json-schema';
import { includedOperation } from '../model/included-operation.js';
import { describeOpenapi } from './describe-openapi.js';
import { bundledDocument, type FurtherDocument } from './openapi-bundle.js';

const URL_OF_ROOT = 'https://api.example/docs/openapi.json';
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  servers: [{ url: '/' }],
  paths: {
    '/pets': { $ref: './paths/pets.yaml#/~1pets' },
    '/owners': { $ref: 'paths/owners.yaml' },
  },
  components: { parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } } },
};
const FILES: Readonly<Record<string, string>> = {
  'paths/pets.yaml': `
/pets:
  post:
    operationId: addPet
    parameters: [{ $ref: "../openapi.json#/components/parameters/Page" }]
    requestBody: { content: { application/json: { schema: { $ref: "../schemas/Pet.yaml" } } } }
`,
  'schemas/Pet.yaml': `
type: object
properties:
  name: { $ref: "#/$defs/Name" }
  parent: { $ref: Pet.yaml }
  owner: { $ref: "https://api.example/docs/paths/owners.yaml#/x-owner" }
$defs: { Name: { type: string } }
`,
  'paths/owners.yaml': '{ get: { operationId: listOwners }, x-owner: { type: integer } }',
};

const files = (names = Object.keys(FILES)): FurtherDocument[] =>
  names.map((name) => ({ url: `https://api.example/docs/${name}`, text: FILES[name] ?? '' }));

const describePets = (further: FurtherDocument[], document = DOCUMENT, url: string | null = URL_OF_ROOT) =>
  describeOpenapi(bundledDocument(document, url, further), {
    tool: 'pets',
    include: [includedOperation('addPet'), includedOperation('listOwners')],
    url,
    hasBaseUrl: true,
  });

describe('a document of several files', () => {
  it('has the operations, parameters and schemas of all files', () => {
    const before = structuredClone(DOCUMENT);
    const { description, problems } = describePets(files());
    expect(problems).toEqual([]);
    const { request, http } = description.operations.addPet!;
    expect(http?.parameters.map(({ name }) => name)).toEqual(['page', 'name', 'parent', 'owner']);
    const { validate } = schemaValidator(request);
    expect(validate({ page: 1, name: 'Rex', parent: { name: 'Max' }, owner: 7 })).toEqual([]);
    expect(validate({ name: 'Rex', parent: { name: 1, owner: 'Ann' } })).toMatchObject([
      { pointer: '/parent/name' },
      { pointer: '/parent/owner' },
    ]);
    expect(Object.keys(request.$defs as JsonObject)).toEqual(expect.arrayContaining(['Name', 'Pet', 'x-owner']));
    expect(description.operations.listOwners?.http?.path).toEqual([{ text: '/owners' }]);
    expect(DOCUMENT).toEqual(before);
  });

  it('needs only the files of the included operations, and names those that are missing', () => {
    const { description, problems } = describePets(files(['paths/pets.yaml', 'paths/owners.yaml']));
    expect(Object.keys(description.operations)).toEqual(['listOwners']);
    expect(problems).toMatchObject([
      {
        key: ['include', 0],
        detail: expect.stringContaining(
          '`spec.documents` of the tool: `{ url: "https://api.example/docs/schemas/Pet.yaml", sha256: … }`',
        ),
      },
    ]);
  });

  it('names the file of the path of an operation that it cannot find', () => {
    const paths = {
      '/owners': { get: { $ref: 'paths/owners.yaml#/get' } },
      '/pets': { $ref: 'paths/pets.yaml#/~1pets' },
    };
    const include = ['addPet', 'GET /owners', 'POST /pets'].map(includedOperation);
    const source = { tool: 'pets', include, url: URL_OF_ROOT, hasBaseUrl: true };
    const { problems } = describeOpenapi(bundledDocument({ ...DOCUMENT, paths }, URL_OF_ROOT, []), source);
    expect(problems.map(({ detail, suggestion }) => [detail, /"https:.*"/.exec(suggestion ?? '')?.[0]])).toEqual([
      ['`addPet` is not in the listed documents.', '"https://api.example/docs/paths/owners.yaml"'],
      ['`GET /owners` is not in the listed documents.', '"https://api.example/docs/paths/owners.yaml"'],
      ['`POST /pets` is not in the listed documents.', '"https://api.example/docs/paths/pets.yaml"'],
    ]);
  });

  it('can be in a definition, if it refers to the files by their URLs', () => {
    const paths = {
      '/pets': { $ref: 'https://api.example/docs/paths/pets.yaml#/~1pets' },
      '/owners': { $ref: 'https://api.example/docs/paths/owners.yaml' },
    };
    const { description } = describePets(files(), { ...DOCUMENT, paths }, null);
    expect(description.operations).toHaveProperty('listOwners');
    expect(describePets(files(), DOCUMENT, null).problems[0]?.suggestion).toContain('by its URL');
  });

  it('may be a Swagger 2.0 document', () => {
    const post = `{ post: { operationId: addPet, parameters: [{ name: pet, in: body, schema: { $ref: ../schemas/Pet.yaml } }] } }`;
    const pets = { url: 'https://api.example/docs/paths/pets.yaml', text: post };
    const paths = { '/pets': { $ref: 'paths/pets.yaml' }, '/owners': { $ref: 'paths/owners.yaml' } };
    const { description } = describePets([...files(['schemas/Pet.yaml', 'paths/owners.yaml']), pets], {
      swagger: '2.0',
      paths,
    });
    expect(description.operations.addPet?.request.properties).toHaveProperty('parent');
  });

  it.each([
    ['#/paths/missing', 'points to nothing'],
    ['#anchor', 'points to nothing'],
    ['schemas/Pet.yaml#anchor', 'points to nothing'],
    ['schemas/Pet.yaml#/missing', 'points to nothing'],
  ])('reports a reference that points to nothing: %s', ($ref, message) => {
    const paths = { '/pets': { post: { operationId: 'addPet', parameters: [{ $ref }] } } };
    expect(describePets(files(), { ...DOCUMENT, paths }).problems[0]?.detail).toContain(message);
  });

  it('reports a file that cannot be read', () => {
    const broken = { url: 'https://api.example/docs/paths/pets.yaml', text: 'a: b: c' };
    expect(() => describePets([broken])).toThrow('https://api.example/docs/paths/pets.yaml: ');
  });
});
