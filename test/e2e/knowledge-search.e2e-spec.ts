import { KnowledgeScene } from '../../libs/knowledge/src/testing/knowledge-scene.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const TEXT = '# Returns\n\nGoods may be sent back.\n\n# Payment\n\nRefunds are paid within five days.';

describe('searching a knowledge base over HTTP', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let knowledge: KnowledgeScene;
  let base: string;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    knowledge = await KnowledgeScene.within(api.databaseUrl, tenant.workspaceId);
  });
  afterAll(async () => {
    await knowledge.close();
    await api.close();
  });

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, `/v1/knowledge-bases/${base}${path}`, { key: tenant.adminKey, ...options });
  const search = async (query: string, further: object = {}) =>
    (await call('POST', '/search', { body: { query, ...further } })).body;

  beforeEach(async () => {
    base = await knowledge.aBase();
    await knowledge.documents(base, { policy: TEXT, shipping: 'We ship on Mondays.' });
  });

  it('answers passages with document, place and score', async () => {
    const { data } = await search('when are refunds paid?');
    expect(data).toEqual([
      {
        document: { id: expect.stringMatching(/^doc_/), title: 'policy', url: null, version: 1 },
        chunk: 1,
        heading: 'Payment',
        text: 'Refunds are paid within five days.',
        score: expect.any(Number),
        start: TEXT.indexOf('Refunds'),
        end: TEXT.length,
      },
    ]);
    expect((await search('ship refunds', { top_k: 1 })).data).toHaveLength(1);
    expect(await search('nothing of the kind')).toEqual({ data: [] });
  });

  it.each([[{}], [{ query: '' }], [{ query: 1 }], [{ query: 'a', top_k: 101 }], [{ query: 'a', topk: 1 }]])(
    'refuses %j',
    async (body) => {
      expect(await call('POST', '/search', { body })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );

  it('lists documents page by page, all of them or those of one source', async () => {
    const other = await knowledge.documents(base, { third: 'Gift cards do not expire.' });
    const first = (await call('GET', '/documents?limit=2&order=asc')).body;
    const second = (await call('GET', `/documents?limit=2&order=asc&cursor=${first.next_cursor}`)).body;
    const titles = [...first.data, ...second.data].map(({ title }: { title: string }) => title);
    expect(titles).toEqual(['policy', 'shipping', 'third']);
    expect(second.next_cursor).toBeUndefined();
    const ofSource = (await call('GET', `/documents?source=${other.sourceId}`)).body;
    expect(ofSource.data).toEqual([
      expect.objectContaining({ knowledge_base: base, source: other.sourceId, key: 'third', chunk_count: 1 }),
    ]);
  });

  it('shows a document with its passages', async () => {
    const { data } = (await call('GET', '/documents?order=asc')).body;
    const shown = (await call('GET', `/documents/${data[0].id}`)).body;
    expect(shown).toMatchObject({ id: data[0].id, title: 'policy', language: 'english', bytes: TEXT.length });
    expect(shown.chunks).toEqual([
      expect.objectContaining({ chunk: 0, heading: 'Returns', text: 'Goods may be sent back.' }),
      expect.objectContaining({ chunk: 1, heading: 'Payment', start: TEXT.indexOf('Refunds') }),
    ]);
    expect((await call('GET', `/documents/${data[0].id}?from_chunk=1`)).body.chunks).toHaveLength(1);
  });

  it('finds nothing of a base that is deleted, not even that there was one', async () => {
    const { data } = (await call('GET', '/documents')).body;
    await call('DELETE', '');
    expect(await search('refunds')).toMatchObject({ code: 'not_found' });
    for (const path of ['/documents', `/documents/${data[0].id}`]) {
      expect((await call('GET', path)).body.code).toBe('not_found');
    }
  });
});
