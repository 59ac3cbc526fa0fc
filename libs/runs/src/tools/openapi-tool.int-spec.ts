import { createHash } from 'node:crypto';
import { compileDefinition, describeOpenapi, includedOperation, OpenapiDocument } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { crmDocument } from '../../../../test/fixtures/crm-openapi.js';
import { Ledger } from '../../../../test/support/ledger.js';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCallResult } from '../calls/tool-call.js';

const INCLUDE = ['getCustomer', 'replaceCustomer', 'addNotes'];

describe('an operation of a service that describes itself with OpenAPI', () => {
  let service: Ledger;
  let bench: ToolBench;

  beforeAll(async () => {
    service = await Ledger.start();
    bench = await ToolBench.start({ EGRESS_ALLOW: service.egressEntry });
  });

  afterAll(async () => {
    await bench.close();
    await service.close();
  });

  beforeEach(() => service.reset());

  const call = (
    name: string,
    request: JsonObject,
    settings: JsonObject = {},
    [include, raw]: readonly [readonly string[], object] = [INCLUDE, crmDocument()],
  ): Promise<ToolCallResult> => {
    const url = `${service.url}/openapi.json`;
    const source = { tool: 'crm', include: include.map(includedOperation), url, hasBaseUrl: 'base_url' in settings };
    const document = OpenapiDocument.read(JSON.stringify(raw));
    const spec = { url, sha256: createHash('sha256').update('x').digest('hex') };
    const tool = { name: 'crm', type: 'openapi', spec, include: [...include], ...settings };
    const definition = compileDefinition(
      { name: 'a', tools: [tool], steps: [] },
      { crm: describeOpenapi(document, source).description },
    );
    return bench.callOf(definition, `crm.${name}`, request);
  };

  it('gets path, query, headers and cookies where the document puts them', async () => {
    const request = { id: 'a/b', fields: ['name', 'age'], filter: { city: 'Ulm' }, 'X-Trace': 't', session: 's 1' };
    service.always('/v2/customers/a%2Fb', { body: { name: 'Ann' } });
    const result = await call('getCustomer', request);
    expect(result).toMatchObject({ kind: 'answered', output: { name: 'Ann' } });
    expect(service.calls[0]).toMatchObject({
      method: 'GET',
      path: '/v2/customers/a%2Fb',
      headers: { 'x-trace': 't', cookie: 'session=s%201' },
    });
    expect(service.calls[0]?.query).toBe('fields=name,age&filter%5Bcity%5D=Ulm');
    expect(service.calls[0]?.body).toBe('');
  });

  it('gets no parameter whose value is null, and JSON with null', async () => {
    await call('getCustomer', {
      id: '7',
      fields: ['name', null],
      filter: { city: null },
      'X-Trace': null,
      session: null,
    });
    expect(service.calls[0]).toMatchObject({ query: 'fields=name' });
    expect(service.calls[0]?.headers).not.toHaveProperty('x-trace');
    expect(service.calls[0]?.headers).not.toHaveProperty('cookie');
    await call('replaceCustomer', { id: '7', name: null });
    expect(service.calls[1]?.body).toBe('{"name":null}');
  });

  it('gets the members of a body under their own names, and a whole body as it is', async () => {
    await call('replaceCustomer', { id: '7', body_id: '8', name: 'Ann', age: 3 });
    await call('addNotes', { body: ['a', 'b'] });
    expect(
      service.calls.map(({ method, path, body }) => ({ method, path, body: JSON.parse(body) as unknown })),
    ).toEqual([
      { method: 'PUT', path: '/v2/customers/7', body: { id: '8', name: 'Ann', age: 3 } },
      { method: 'POST', path: '/v2/notes', body: ['a', 'b'] },
    ]);
  });

  it('gets a body in the encoding and with the media type of the document', async () => {
    const withBody = (type: string, media: JsonObject) => ({
      put: { operationId: type, requestBody: { required: true, content: { [type]: media } } },
    });
    const members = (properties: JsonObject) => ({ schema: { type: 'object', properties } });
    const file = { type: 'string', format: 'binary' };
    const joined = { tags: { explode: false } };
    const encoding = { metadata: { style: 'deepObject', explode: true } };
    const bodies: Record<string, JsonObject> = {
      'application/json-patch+json': { schema: { type: 'array' } },
      'application/vnd.api+json': members({ a: {} }),
      'application/x-www-form-urlencoded': { ...members({ To: {}, tags: {}, metadata: {}, options: {} }), encoding },
      'multipart/form-data': { ...members({ purpose: {}, file, meta: {}, tags: {} }), encoding: joined },
      'text/csv': { schema: { type: 'string' } },
      'application/pdf': { schema: file },
    };
    const paths = Object.fromEntries(
      Object.entries(bodies).map(([type, media], index) => [`/${index}`, withBody(type, media)]),
    );
    const document = { openapi: '3.1.0', servers: [{ url: '/' }], paths };
    const sent = async (type: string, request: JsonObject) => {
      const include = [Object.keys(bodies), document] as const;
      const result = await call(type.replace(/[^A-Za-z0-9_.-]/g, '_'), request, {}, include);
      expect(result).toMatchObject({ kind: 'answered' });
      const { headers, body } = service.calls.at(-1)!;
      return [headers['content-type'], body];
    };
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    expect(await sent('application/json-patch+json', { body: patch })).toEqual([
      'application/json-patch+json',
      JSON.stringify(patch),
    ]);
    expect(await sent('application/vnd.api+json', {})).toEqual(['application/vnd.api+json', '{}']);
    const form = { To: '+49 1', tags: ['a', 'b'], metadata: { order: '7' }, options: { x: 1 } };
    expect(await sent('application/x-www-form-urlencoded', form)).toEqual([
      'application/x-www-form-urlencoded',
      'To=%2B49%201&tags=a&tags=b&metadata%5Border%5D=7&options=%7B%22x%22%3A1%7D',
    ]);
    const [type, parts] = await sent('multipart/form-data', {
      purpose: 'batch',
      file: { text: 'a,b', filename: 'a.csv', content_type: 'text/csv' },
      meta: { x: 1 },
      tags: ['a', 'b'],
    });
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    expect(parts).toContain('name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n');
    expect(parts).toContain('name="meta"\r\n\r\n{"x":1}\r\n');
    expect(parts).toContain('name="tags"\r\n\r\na,b\r\n');
    expect(await sent('text/csv', { body: 'a,b' })).toEqual(['text/csv', 'a,b']);
    expect(await sent('application/pdf', { body: { base64: 'JVBERg==' } })).toEqual(['application/pdf', '%PDF']);
  });

  it('gets its path in the style of the document, with the query that the path contains', async () => {
    const parameter = (name: string, style: string) => ({ name, in: 'path', required: true, style, schema: {} });
    const get = {
      operationId: 'get',
      parameters: [parameter('ids', 'simple'), parameter('size', 'matrix'), { name: 'n', in: 'query', schema: {} }],
    };
    const document = { openapi: '3.1.0', servers: [{ url: '/' }], paths: { '/a/{ids}/b{size}?beta=true': { get } } };
    const auth = { type: 'query', name: 'key', value: 'k 1' };
    await call('get', { ids: [1, 'a/b'], size: { w: 1 }, n: [1, 2] }, { auth }, [['get'], document]);
    expect(service.calls[0]).toMatchObject({ path: '/a/1,a%2Fb/b;size=w,1', query: 'beta=true&n=1&n=2&key=k+1' });
    expect(await call('get', { ids: '..', size: 1 }, {}, [['get'], document])).toMatchObject({ kind: 'refused' });
    expect(service.calls).toHaveLength(1);
  });

  it('is sent to the address and with the credentials of the tool', async () => {
    await bench.secrets.put(bench.ada, 'CRM_TOKEN', 't0ken-value');
    const auth = { type: 'header', name: 'X-Key', value: '${{ secrets.CRM_TOKEN }}' };
    await call('getCustomer', { id: '7' }, { base_url: `${service.url}/other`, auth });
    expect(service.calls[0]).toMatchObject({ path: '/other/customers/7', headers: { 'x-key': 't0ken-value' } });
  });

  it('cannot be called before it is described', async () => {
    const spec = { url: `${service.url}/openapi.json`, sha256: '0'.repeat(64) };
    const tools = [{ name: 'crm', type: 'openapi', spec, include: INCLUDE }];
    expect(await bench.call(tools, 'crm.getCustomer', { id: '7' })).toMatchObject({ kind: 'refused', permanent: true });
    expect(service.calls).toEqual([]);
  });
});
