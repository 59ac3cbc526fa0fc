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

  const call = (name: string, request: JsonObject, settings: JsonObject = {}): Promise<ToolCallResult> => {
    const url = `${service.url}/openapi.json`;
    const source = { tool: 'crm', include: INCLUDE.map(includedOperation), url, hasBaseUrl: 'base_url' in settings };
    const document = OpenapiDocument.read(JSON.stringify(crmDocument()));
    const spec = { url, sha256: createHash('sha256').update('x').digest('hex') };
    const tool = { name: 'crm', type: 'openapi', spec, include: INCLUDE, ...settings };
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
    expect(service.calls[0]?.query).toBe('fields=name%2Cage&filter%5Bcity%5D=Ulm');
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
