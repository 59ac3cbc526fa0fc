import { stringify } from 'yaml';
import { builtPrograms } from '../../../../test/support/built-program.js';
import { crmDocument } from '../../../../test/fixtures/crm-openapi.js';
import { OpenapiReaderService } from './openapi-reader.service.js';

const MIB = 1024 * 1024;

describe('reading long OpenAPI documents in child processes', () => {
  const readers: OpenapiReaderService[] = [];

  afterEach(() => readers.splice(0).forEach((reader) => reader.onApplicationShutdown()));

  const aReader = (settings: Parameters<typeof OpenapiReaderService.with>[0] = {}): OpenapiReaderService => {
    const programs = builtPrograms('libs/agents/src/definitions/openapi-program');
    const reader = OpenapiReaderService.with({ ...programs, ...settings });
    readers.push(reader);
    return reader;
  };
  const request = (text: string, include = 'getCustomer') => ({
    content: text,
    further: [],
    source: { tool: 'crm', include: [{ id: include, name: include }], url: null, hasBaseUrl: true },
  });
  const padded = (mebibytes: number): string =>
    JSON.stringify({ ...crmDocument(), 'x-padding': 'x'.repeat(mebibytes * MIB) });

  it('describes the same operations as a short document', async () => {
    const short = await aReader().describe(request(JSON.stringify(crmDocument())));
    expect(short).toMatchObject({ description: { operations: { getCustomer: { readsOnly: true } } }, problems: [] });
    expect(await aReader().describe(request(padded(12)))).toEqual(short);
    const yaml = stringify({ ...crmDocument(), 'x-padding': Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)) });
    expect(await aReader().describe(request(yaml))).toEqual(short);
  });

  it('reports the problems of the document', async () => {
    const { problems } = await aReader().describe(request(padded(1), 'getCustomers'));
    expect(problems).toMatchObject([{ tool: 'crm', key: ['include', 0], severity: 'error' }]);
    await expect(aReader().describe(request(`- ${padded(1)}`))).rejects.toMatchObject({
      name: 'UnusableDocument',
      message: expect.stringContaining('not an object'),
    });
  });

  it.each([{ cpuMillis: 1 }, { heapMegabytes: 16 }])('ends when it exceeds a limit: %j', async (limit) => {
    const many = `[${'[],'.repeat(2 * MIB)}[]]`;
    await expect(aReader(limit).describe(request(many))).rejects.toMatchObject({
      name: 'UnusableDocument',
      message: expect.stringContaining('needs more than'),
    });
  });
});
