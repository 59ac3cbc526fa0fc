import type { JsonObject } from '@app/kernel';
import { EmbeddingServer } from '../support/embedding-server.js';
import { eventually } from '../support/eventually.js';
import { type SyncAnswer, SyncScene } from '../support/sync-scene.js';

interface BaseAnswer {
  chunk_count: number;
  index?: {
    status: string;
    documents: { done: number; total: number } | null;
    passages_waiting: number;
    error: { code: string; message: string } | null;
  };
}

const EMBEDDING = { provider: 'vectors', model: 'meaning' };
const SEMANTIC = { embedding: EMBEDDING, retrieval: { mode: 'semantic' } };

let names = 0;

describe('retrieval by meaning', () => {
  let server: EmbeddingServer;
  let scene: SyncScene;
  let base: string;
  let source: string;

  beforeAll(async () => {
    server = await EmbeddingServer.start();
    scene = await SyncScene.start();
    await scene.stack.lead('vectors', server.url);
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    await scene.stop();
    await server.close();
  });

  const aBase = async (settings: JsonObject, texts: Record<string, string>) => {
    base = await scene.aBase(`meanings-${++names}`, settings);
    source = await scene.aSource(base, { connector: 'upload', config: {} });
    await push(texts);
  };
  const push = async (texts: Record<string, string>) => {
    for (const [name, text] of Object.entries(texts))
      await scene.expect('POST', `${source}/documents`, { name, title: name, text });
  };
  const search = async (query: string) => {
    const path = `/knowledge-bases/${base}/search`;
    const { data } = await scene.expect<{ data: { text: string; score: number }[] }>('POST', path, { query, top_k: 5 });
    return data.map(({ text }) => text);
  };
  const look = () => scene.expect<BaseAnswer>('GET', `/knowledge-bases/${base}`);
  const current = () =>
    eventually(async () => {
      expect((await look()).index).toBeUndefined();
    });
  const POLICIES = { refund: 'A refund is paid within five days.', shipping: 'We ship on Mondays.' };

  it('finds by meaning what a sync has brought, once it has ended', async () => {
    await aBase(SEMANTIC, POLICIES);
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', error: null });
    expect((await search('reimbursement'))[0]).toBe(POLICIES.refund);
    expect(server.requests[0]).toMatchObject({ model: 'meaning', dimensions: 128 });
    await current();
  });

  it('takes a long document, which is cut in a thread of its own', async () => {
    const parts = Array.from({ length: 400 }, (_, n) => `# Part ${n}\n\n${`Sentence about topic${n}. `.repeat(30)}`);
    await aBase(SEMANTIC, { book: parts.join('\n\n') });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded' });
    expect((await look()).chunk_count).toBeGreaterThanOrEqual(400);
    expect((await search('topic399'))[0]).toContain('topic399');
  });

  it('loses no sync by a provider that fails, says so at the source, and catches up by itself', async () => {
    server.always({ status: 503, headers: { 'retry-after': '0' } });
    await aBase(SEMANTIC, POLICIES);
    const sync: SyncAnswer = await scene.sync(source);
    expect(sync).toMatchObject({ status: 'completed_with_errors', error: { code: 'embedding_unavailable' } });
    expect(sync.error?.message).toContain('responded with HTTP status 503');
    // The last documents may be processed only in a later sync, so the check is repeated.
    await eventually(async () =>
      expect(await scene.source(source)).toMatchObject({ status: 'active', document_count: 2, error: sync.error }),
    );
    expect(await look()).toMatchObject({
      index: { status: 'failing', passages_waiting: 2, error: { code: 'embedding_unavailable' } },
    });
    expect(await search('refunds')).toEqual([POLICIES.refund]);
    server.reset();
    await current();
    expect(await scene.source(source)).toMatchObject({ status: 'active', error: null });
    expect((await search('reimbursement'))[0]).toBe(POLICIES.refund);
  });

  it('builds a new index beside the old one when settings change, and shows its progress', async () => {
    await aBase({}, { policy: '# One\n\nrefunds\n\n# Two\n\nparcels', gifts: 'gifts' });
    await scene.sync(source);
    expect(await search('reimbursement')).toEqual([]);
    server.always({ hang: true });
    const settings = { ...SEMANTIC, chunking: { strategy: 'sentence' } };
    await scene.expect('PATCH', `/knowledge-bases/${base}`, { settings });
    await server.asked(1);
    expect(await look()).toMatchObject({
      chunk_count: 3,
      index: { status: 'building', documents: { done: 2, total: 2 }, passages_waiting: 2, error: null },
    });
    expect(await search('parcels')).toEqual(['parcels']);
    await push({ later: 'stamps' });
    server.reset();
    await scene.sync(source);
    await current();
    expect(await look()).toMatchObject({ chunk_count: 3 });
    expect((await search('reimbursement'))[0]).toBe('# One\n\nrefunds\n\n# Two\n\nparcels');
    expect((await search('stamps'))[0]).toBe('stamps');
  });

  it('continues after a worker is killed during that', async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`d${n}`, `# A\n\nword${n}\n\n# B\n\nmore`]),
    );
    await aBase({}, { first: 'first' });
    await scene.sync(source);
    await scene.putUploads(source, texts);
    await scene.sync(source);
    // The embedding provider embeds the first texts and then stops responding.
    server.respondWith({}, {});
    server.always({ hang: true });
    await scene.expect('PATCH', `/knowledge-bases/${base}`, {
      settings: { ...SEMANTIC, chunking: { strategy: 'sentence' } },
    });
    await server.asked(3);
    const [worker] = scene.stack.workers.splice(0);
    await worker?.kill();
    expect(await look()).toMatchObject({ chunk_count: 601, index: { status: 'building' } });
    server.always({});
    server.release();
    await scene.stack.addWorker();
    await current();
    expect(await look()).toMatchObject({ chunk_count: 301 });
    expect((await search('word299'))[0]).toContain('word299');
  });
});
