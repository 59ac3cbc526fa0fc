import type { JsonObject } from '@app/kernel';
import { newId } from '@app/kernel';
import { EmbeddingServer } from '../../../../test/support/embedding-server.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import type { SourceScope } from '../documents/storable-document.js';
import { KnowledgeScene } from '../testing/knowledge-scene.js';
import { TEST_PROVIDER } from '../testing/knowledge-parts.js';
import type { RunReader } from './run-reader.js';

const EMBEDDING = { provider: TEST_PROVIDER, model: 'meaning' };

describe('semantic search', () => {
  let database: TestDatabase;
  let server: EmbeddingServer;
  let scene: KnowledgeScene;
  let scope: SourceScope;

  beforeAll(async () => {
    [database, server] = [await createTestDatabase(), await EmbeddingServer.start()];
    scene = await KnowledgeScene.open(database.url, server.url);
  });
  afterEach(() => server.reset());
  afterAll(async () => {
    await scene.close();
    await server.close();
    await database.drop();
  });

  const aBase = async (mode: string, texts: Record<string, string>, more: JsonObject = {}): Promise<void> => {
    const settings = { embedding: EMBEDDING, retrieval: { mode, ...more } };
    scope = await scene.documents(await scene.aBase(settings), texts);
    expect(await scene.parts.indexWorker.finishBase(scope, new AbortController().signal)).toBeNull();
  };
  const ask = (query: string, reader: RunReader | null = null) =>
    scene.search.search(scope.workspaceId, { base: scope.knowledgeBaseId, query, reader, topK: 5 });
  const titles = async (query: string) => {
    const outcome = await ask(query);
    return outcome.status === 'found' ? outcome.passages.map(({ document }) => document.title) : outcome.status;
  };

  const POLICIES = {
    refund: 'A refund is paid within five days.',
    shipping: 'We ship on Mondays, by bicycle.',
    warranty: 'The warranty of every device lasts two years.',
  };

  it('finds passages with the same meaning in other words, with a score', async () => {
    await aBase('semantic', POLICIES);
    const outcome = await ask('reimbursement');
    if (outcome.status !== 'found') throw new Error(outcome.status);
    expect(outcome).toMatchObject({ mode: 'semantic', fallback: null });
    expect(outcome.passages[0]).toMatchObject({
      document: { title: 'refund', version: 1 },
      chunk: 0,
      text: POLICIES.refund,
      start: 0,
      end: POLICIES.refund.length,
    });
    const scores = outcome.passages.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  });

  it('prefers passages that both rankings contain in hybrid mode', async () => {
    await aBase('hybrid', { ...POLICIES, words: 'Only this document says reimbursement.' });
    const outcome = await ask('reimbursement');
    expect(outcome).toMatchObject({ status: 'found', mode: 'hybrid', fallback: null });
    expect((await titles('reimbursement')).slice(0, 2)).toEqual(expect.arrayContaining(['words', 'refund']));
    expect((await titles('refund paid'))[0]).toBe('refund');
  });

  it('compares vectors with similar bits exactly', async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`d${n}`, `word${n} and something else`]));
    await aBase('semantic', many);
    for (const n of [0, 77, 599]) expect((await titles(`word${n} and something else`))[0]).toBe(`d${n}`);
  });

  it('finds the same passages by the pgvector index in a large base', async () => {
    await aBase('semantic', Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}`, `word${n} and more`])));
    const before = await titles('word77 and more');
    await scene.query('update knowledge_bases set chunk_count = 20000 where id = $1', [scope.knowledgeBaseId]);
    await scene.parts.indexBuild.ensureVectorIndex(scope);
    const [made] = await scene.query(
      `select (select count(*)::integer from pg_extension where extname = 'vector') as wanted,
        (select count(*)::integer from pg_indexes where indexname = 'knowledge_vectors_hnsw_256_ix') as made`,
    );
    expect(made).toEqual({ wanted: expect.any(Number), made: (made as { wanted: number }).wanted });
    expect((await titles('word77 and more'))[0]).toBe(before[0]);
  });

  it('finds nothing that is deleted, and nothing of another base', async () => {
    await aBase('semantic', POLICIES);
    const first = scope;
    await aBase('semantic', { other: 'Something else.' });
    expect(await titles('reimbursement')).toEqual(['other']);
    scope = first;
    await scene.index.removeUnseen({ ...scope, syncId: newId('sync') });
    expect(await titles('reimbursement')).toEqual([]);
    expect(
      await scene.search.search(newId('workspace'), { base: scope.knowledgeBaseId, query: 'a', reader: null }),
    ).toEqual({ status: 'unknown' });
  });

  it('finds nothing for a run without a grant, also if the grant is removed during the search', async () => {
    await aBase('semantic', POLICIES);
    const reader = { agentId: newId('agent'), email: null, channel: null };
    expect(await ask('refund', reader)).toMatchObject({ status: 'denied' });
    await scene.grant(scope.knowledgeBaseId, 'agent', reader.agentId);
    expect(await ask('refund', reader)).toMatchObject({ passages: expect.arrayContaining([expect.anything()]) });
    server.requests.length = 0;
    server.respondWith({ hang: true });
    const asked = ask('refund', reader);
    await server.asked(1);
    await scene.query('delete from knowledge_grants where knowledge_base_id = $1', [scope.knowledgeBaseId]);
    server.release();
    expect(await asked).toMatchObject({ status: 'found', passages: [] });
  });

  it('leaves out passages below min_score', async () => {
    await aBase('semantic', POLICIES, { min_score: 0.99 });
    expect(await titles('reimbursement')).toEqual([]);
  });

  it.each([
    ['is refused', { status: 401 }],
    ['is broken', { status: 500 }],
    ['breaks off', { cut: true }],
    ['has to wait for long', { status: 429, headers: { 'retry-after': '60' } }],
    ['is answered nonsense', { body: '{"data":[{"embedding":"x"}]}' }],
    ['is answered with other dimensions', { body: '{"data":[{"index":0,"embedding":[1,2,3]}]}' }],
  ])('falls back to keyword search if the provider request %s', async (_name, answer) => {
    await aBase('semantic', POLICIES);
    server.always(answer);
    const outcome = await ask('refunds');
    expect(outcome).toMatchObject({
      status: 'found',
      mode: 'keyword',
      fallback: expect.stringMatching(/provider|dimensions/),
    });
    expect(await titles('refunds')).toEqual(['refund']);
  });

  it('falls back to keyword search without vectors or with an unknown provider', async () => {
    for (const embedding of [EMBEDDING, { provider: 'nobody', model: 'm' }]) {
      const settings = { embedding, retrieval: { mode: 'hybrid' } };
      scope = await scene.documents(await scene.aBase(settings), POLICIES);
      expect(await ask('refunds')).toMatchObject({ mode: 'keyword', passages: [{ document: { title: 'refund' } }] });
    }
  });

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['marks', '""'],
    ['a NUL', '\0'],
    ['an emoji', '😀'],
    ['half a character', '\ud800'],
    ['very much', 'a'.repeat(20_000)],
  ])('answers any query: %s', async (_name, query) => {
    await aBase('hybrid', POLICIES);
    expect(await ask(query)).toMatchObject({ status: 'found' });
  });
});
