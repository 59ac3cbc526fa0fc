import { type JsonObject, newId } from '@app/kernel';
import { EmbeddingServer } from '../../../../test/support/embedding-server.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { readSettings } from '../bases/knowledge-settings.js';
import type { SourceScope } from '../documents/storable-document.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { TEST_PROVIDER } from '../testing/knowledge-parts.js';

const NEVER = new AbortController().signal;
const EMBEDDING = { provider: TEST_PROVIDER, model: 'small-batches' };
const TEXT = '# One\n\nrefunds\n\n# Two\n\nparcels';

describe('IndexWorker', () => {
  let database: TestDatabase;
  let server: EmbeddingServer;
  let scene: KnowledgeScene;
  let scope: SourceScope;

  beforeAll(async () => {
    [database, server] = [await createTestDatabase(), await EmbeddingServer.start()];
    scene = await KnowledgeScene.open(database.url, server.url);
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    await scene.close();
    await server.close();
    await database.drop();
  });

  const aBase = async (settings: JsonObject = {}) => {
    scope = await scene.aSource(await scene.aBase({ embedding: EMBEDDING, ...settings }));
  };
  const put = (texts: Record<string, string>) =>
    scene.index.putMany(scope, Object.entries(texts).map(([key, text]) => aDocument(key, text))); // prettier-ignore
  const finish = () => scene.parts.indexWorker.finishBase(scope, NEVER);
  const state = async () => {
    const [row] = await scene.query<Record<string, unknown>>(
      `select b.generation, b.building, b.chunk_count as chunks, b.index_due_at is not null as due, b.index_error ->> 'code' as error,
          (select count(v.bits)::integer from knowledge_vectors v where v.knowledge_base_id = b.id and v.generation = b.generation)
            as vectors,
          (select count(*)::integer from knowledge_vectors v where v.knowledge_base_id = b.id and v.refusal is not null) as refused,
          array(select distinct c.generation from knowledge_chunks c where c.knowledge_base_id = b.id order by 1) as generations
        from knowledge_bases b where id = $1`,
      [scope.knowledgeBaseId],
    );
    return row;
  };
  /** Changes the settings and starts a new generation of the index, as a `PATCH` request does. */
  const change = (settings: JsonObject) =>
    scene.query(
      `update knowledge_bases set settings = $2, last_generation = last_generation + 1, building = last_generation + 1,
        index_due_at = now() where id = $1`,
      [scope.knowledgeBaseId, readSettings(settings)],
    );
  const found = async (query: string) => {
    const outcome = await scene.search.search(scope.workspaceId, { base: scope.knowledgeBaseId, query, reader: null });
    return outcome.status === 'found' ? outcome.passages.map(({ document, text }) => `${document.title}: ${text}`) : [];
  };

  it('rebuilds an index of an older version while the old one answers, and keeps its vectors', async () => {
    await aBase();
    await put({ a: TEXT, b: 'gifts' });
    await finish();
    const made = server.texts;
    await scene.query(`update knowledge_bases set indexed = indexed - 'version' where id = $1`, [
      scope.knowledgeBaseId,
    ]);
    await scene.parts.indexWorker.rebuildOutdated();
    expect(await state()).toMatchObject({ generation: 1, building: 2, due: true });
    expect(await found('refunds')).toEqual(['a: refunds']);
    await finish();
    expect(await state()).toMatchObject({ generation: 2, building: null, vectors: 3, due: false });
    expect(server.texts).toBe(made);
    expect(await found('refunds')).toEqual(['a: refunds']);
    await scene.parts.indexWorker.rebuildOutdated();
    expect(await state()).toMatchObject({ generation: 2, building: null });
  });

  describe('when passages wait for vectors', () => {
    beforeEach(() => aBase());

    it('requests each vector once, in requests of the configured size', async () => {
      await put({ a: TEXT, b: 'gifts', c: 'vouchers' });
      expect(await state()).toMatchObject({ vectors: 0, due: true });
      expect(await finish()).toBeNull();
      expect(await state()).toMatchObject({ vectors: 4, due: false, error: null });
      expect(server.requests.map(({ input }) => input.length)).toEqual([2, 2]);
      expect(server.requests[0]).toMatchObject({
        model: 'small-batches',
        authorization: 'Bearer sk-test-0123456789abcdef',
      });
      expect(server.requests.flatMap(({ input }) => input)).toContain('a\nOne\nrefunds');
      await finish();
      expect(server.texts).toBe(4);
    });

    it('retries if the provider is busy, fails or closes the connection', async () => {
      await put({ a: 'gifts' });
      server.respondWith(
        { status: 429, headers: { 'retry-after': '0' } },
        { status: 500, headers: { 'retry-after': '0' } },
        { cut: true },
      );
      expect(await finish()).toBeNull();
      expect(server.requests).toHaveLength(4);
      expect(await state()).toMatchObject({ vectors: 1, due: false });
    });

    it('reports the error, keeps the stored vectors, and continues when the provider answers again', async () => {
      await put({ a: 'gifts' });
      server.always({ status: 401 });
      expect(await finish()).toEqual({
        code: 'embedding_refused',
        message: expect.stringContaining('responded with HTTP status 401: scripted 401'),
      });
      expect(await state()).toMatchObject({ vectors: 0, due: true, error: 'embedding_refused' });
      expect(await found('gifts')).toEqual(['a: gifts']);
      server.reset();
      expect(await finish()).toBeNull();
      expect(await state()).toMatchObject({ vectors: 1, due: false, error: null });
    });

    it('masks the key in error messages of the provider', async () => {
      await put({ a: 'gifts' });
      server.always({ status: 403, body: '{"error":{"message":"wrong key sk-test-0123456789abcdef"}}' });
      expect((await finish())?.message).toContain('wrong key ***');
    });

    it('rejects vectors whose dimensions differ from the stored ones', async () => {
      await put({ a: 'gifts' });
      await finish();
      await put({ b: 'vouchers' });
      server.dimensions = 64;
      expect(await finish()).toMatchObject({
        code: 'embedding_unusable',
        message: expect.stringContaining('64 dimensions'),
      });
      expect(await state()).toMatchObject({ vectors: 1 });
    });

    it.each([
      ['{"data":[]}'],
      ['{}'],
      ['nonsense'],
      ['{"data":[{"index":0,"embedding":[0,0]}]}'],
      ['{"data":[{"index":7,"embedding":[1]}]}'],
      ['{"data":[{"index":0,"embedding":[1,null]}]}'],
    ])('rejects an unusable answer: %s', async (body) => {
      await put({ a: 'gifts' });
      server.always({ body });
      expect(await finish()).toMatchObject({ code: 'embedding_unusable' });
      expect(await state()).toMatchObject({ vectors: 0 });
    });

    it('leaves out only the passage that the provider rejects', async () => {
      await put({ a: 'gifts', b: 'poison', c: 'vouchers' });
      server.always(({ input }) => (input.some((text) => text.includes('poison')) ? { status: 400 } : {}));
      expect(await finish()).toBeNull();
      expect(await state()).toMatchObject({ vectors: 2, refused: 1, due: false });
      expect(await found('poison')).toEqual(['b: poison']);
    });

    it('leaves out no passage if the provider rejects every text', async () => {
      await put({ a: 'gifts' });
      server.always({ status: 400 });
      expect(await finish()).toMatchObject({ code: 'embedding_refused' });
      expect(await state()).toMatchObject({ vectors: 0, refused: 0 });
    });

    it('does not give a changed passage the vector of the old text', async () => {
      await put({ a: 'gifts' });
      server.respondWith({ hang: true });
      const finished = finish();
      await server.asked(1);
      await put({ a: 'parcels' });
      server.release();
      expect(await finished).toBeNull();
      expect(server.requests.map(({ input }) => input[0])).toEqual(['a\ngifts', 'a\nparcels']);
      expect(await state()).toMatchObject({ vectors: 1 });
    });

    it('lets another worker continue if one has died', async () => {
      await put({ a: 'gifts' });
      const dead = await scene.parts.workStore.claimIndex(1, scope.knowledgeBaseId);
      expect(dead).toBeDefined();
      expect(await finish()).toBeNull();
      expect(dead && (await scene.parts.workStore.renewClaim(dead, 1_000))).toBe(false);
      expect(await state()).toMatchObject({ vectors: 1 });
    });

    it('does nothing while the workspace is stopped', async () => {
      await put({ a: 'gifts' });
      await scene.query(`update workspaces set state = 'stopped', epoch = epoch + 1 where id = $1`, [
        scope.workspaceId,
      ]);
      expect(await scene.parts.workStore.claimIndex(1_000, scope.knowledgeBaseId)).toBeUndefined();
      await scene.query(`update workspaces set state = 'active', epoch = epoch + 1 where id = $1`, [scope.workspaceId]);
    });
  });

  describe('when settings have changed', () => {
    beforeEach(async () => {
      await aBase({ embedding: null });
      await put({ a: TEXT, b: 'gifts' });
    });
    const whole = { chunking: { strategy: 'sentence' } };

    it('cuts all documents again, and the purge removes the old generation', async () => {
      await change(whole);
      await finish();
      expect(await state()).toMatchObject({ generation: 2, building: null, chunks: 2, generations: [1, 2] });
      expect(await found('parcels')).toEqual([`a: ${TEXT}`]);
      const { purge } = scene.parts;
      while ((await purge.purgeBatch()) === 'again');
      expect(await state()).toMatchObject({ generations: [2] });
      const words = await scene.query('select distinct generation from knowledge_words where knowledge_base_id = $1', [
        scope.knowledgeBaseId,
      ]);
      expect(words).toEqual([{ generation: 2 }]);
      expect(await found('parcels')).toEqual([`a: ${TEXT}`]);
    });

    it('answers from the old index until the new one is complete', async () => {
      await change({ ...whole, embedding: EMBEDDING, retrieval: { mode: 'hybrid' } });
      server.respondWith({ hang: true });
      const finished = finish();
      await server.asked(1);
      expect(await state()).toMatchObject({ generation: 1, building: 2, generations: [1, 2] });
      expect(await found('parcels')).toEqual(['a: parcels']);
      server.release();
      await finished;
      expect(await state()).toMatchObject({ generation: 2, building: null, vectors: 2, due: false });
      expect((await found('parcels'))[0]).toBe(`a: ${TEXT}`);
    });

    it('applies changes to both generations, and deletions too', async () => {
      await change({ ...whole, embedding: EMBEDDING });
      server.respondWith({ hang: true });
      const finished = finish();
      await server.asked(1);
      await put({ a: 'vouchers', c: '# New\n\nstamps' });
      const sync = { ...scope, syncId: newId('sync') };
      await scene.index.markSeen(sync, ['a', 'c']);
      await scene.index.removeUnseen(sync);
      expect(await found('vouchers stamps gifts')).toEqual(expect.arrayContaining(['a: vouchers', 'c: stamps']));
      server.release();
      await finished;
      expect(await state()).toMatchObject({ generation: 2, chunks: 2 });
      expect(await found('vouchers stamps gifts')).toEqual(
        expect.arrayContaining(['a: vouchers', 'c: # New\n\nstamps']),
      );
      expect(await found('gifts')).toEqual([]);
    });

    it('keeps the old index while the provider fails', async () => {
      await change({ embedding: EMBEDDING });
      server.always({ status: 401 });
      const claimed = await scene.parts.workStore.claimIndex(5_000, scope.knowledgeBaseId);
      expect(claimed && (await scene.parts.indexing.indexBase(claimed, NEVER))).toMatchObject({
        code: 'embedding_refused',
      });
      expect(await state()).toMatchObject({ generation: 1, building: 2, error: 'embedding_refused' });
      expect(await found('gifts')).toEqual(['b: gifts']);
    });

    it('continues a build where a dead worker stopped', async () => {
      const many = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`d${n}`, `document ${n}`]));
      await put(many);
      await change(whole);
      const dead = await scene.parts.workStore.claimIndex(1, scope.knowledgeBaseId);
      if (dead) await scene.parts.builder.buildBatch(dead, 2, '');
      const [before] = await scene.query(
        'select count(*)::integer as built from knowledge_documents where built_generation = 2 and knowledge_base_id = $1',
        [scope.knowledgeBaseId],
      );
      expect(before).toEqual({ built: 200 });
      await finish();
      expect(await state()).toMatchObject({ generation: 2, chunks: 452 });
      const twice = await scene.query(
        `select 1 from knowledge_chunks where knowledge_base_id = $1 and generation = 2 group by document_id having count(*) > 1`,
        [scope.knowledgeBaseId],
      );
      expect(twice).toEqual([]);
    });
  });
});
