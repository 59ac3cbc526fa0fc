import { newId } from '@app/kernel';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { PostgresTap } from '../../../../test/support/postgres-tap.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { CHARACTERS_PER_CUT } from './passages.js';
import type { SourceScope } from './storable-document.js';

describe('DocumentIndexService', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let scope: SourceScope;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await KnowledgeScene.open(database.url);
  });

  afterAll(async () => {
    await scene.close();
    await database.drop();
  });

  beforeEach(async () => {
    scope = await scene.aSource(await scene.aBase());
  });

  const nextSync = (): SourceScope => ({ ...scope, syncId: newId('sync') });

  /**
   * Checks that the stored counts of the knowledge base and the source match the actual rows. Returns the number of
   * documents and the number of passages.
   */
  const counts = async () => {
    const [row] = await scene.query<Record<'said' | 'there', string>>(
      `select b.document_count || ' ' || b.chunk_count || ' ' || b.word_count || ' ' || s.document_count as said,
          (select count(distinct d.id) || ' ' || count(c.*) || ' ' || coalesce(sum(c.words), 0) || ' ' || count(distinct d.id)
            from knowledge_documents d left join knowledge_chunks c on c.document_id = d.id
            where d.knowledge_base_id = b.id and d.deleted_at is null) as there
        from knowledge_bases b join knowledge_sources s on s.knowledge_base_id = b.id where b.id = $1`,
      [scope.knowledgeBaseId],
    );
    expect(row?.said).toBe(row?.there);
    return row?.said.split(' ').slice(0, 2).map(Number);
  };

  const words = async () => {
    const rows = await scene.query<{ word: string; passages: number }>(
      `select word, passages from knowledge_words where knowledge_base_id = $1 and passages > 0 and word not like 'kb%' order by 1`,
      [scope.knowledgeBaseId],
    );
    return Object.fromEntries(rows.map(({ word, passages }) => [word, passages]));
  };

  it('adds and counts documents, and reports them as unchanged the second time', async () => {
    const documents = [
      aDocument('a', 'Refunds take five days.'),
      aDocument('b', '# One\n\ntext\n\n# Two\n\nmore text'),
    ];
    expect(await scene.index.putMany(scope, documents)).toEqual({ added: 2, updated: 0, unchanged: 0 });
    expect(await counts()).toEqual([2, 3]);
    expect(await scene.index.putMany(scope, documents)).toEqual({ added: 0, updated: 0, unchanged: 2 });
    expect(await counts()).toEqual([2, 3]);
    expect(await words()).toMatchObject({ refund: 1, text: 2, five: 1 });
  });

  it('replaces passages, counts and words of a changed document', async () => {
    await scene.index.putMany(scope, [
      aDocument('a', '# One\n\nrefunds\n\n# Two\n\nparcels'),
      aDocument('b', 'refunds'),
    ]);
    const changed = [aDocument('a', 'gifts and refunds'), aDocument('b', 'refunds')];
    expect(await scene.index.putMany(nextSync(), changed)).toEqual({ added: 0, updated: 1, unchanged: 1 });
    expect(await counts()).toEqual([2, 2]);
    const { parcel, ...left } = await words();
    expect(parcel).toBeUndefined();
    expect(left).toMatchObject({ refund: 2, gift: 1 });
    const [row] = await scene.query(`select version from knowledge_documents where source_id = $1 and key = 'a'`, [
      scope.sourceId,
    ]);
    expect(row).toEqual({ version: 2 });
  });

  it('keeps the offsets of passages exact after characters that Postgres cannot store', async () => {
    const text = `# A\n\nnul \0 and half \ud800 and 😀 behind\n\n# B\n\n${'word '.repeat(700)}`;
    await scene.index.putMany(scope, [aDocument('a', text)]);
    const chunks = await scene.query<{ body: string; start_offset: number; end_offset: number; text: string }>(
      `select c.body, start_offset, end_offset, t.body as text from knowledge_chunks c join knowledge_texts t using (document_id)
        where c.knowledge_base_id = $1 order by n`,
      [scope.knowledgeBaseId],
    );
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) expect(chunk.text.slice(chunk.start_offset, chunk.end_offset)).toBe(chunk.body);
    expect(chunks[0]?.text).toHaveLength(text.length);
  });

  it('finds hash and validator of documents, also for keys that are too long for an index', async () => {
    const long = `https://example.com/${'x'.repeat(3_000)}`;
    const document = aDocument(long, 'text', { validator: { etag: '"1"' } });
    await scene.index.putMany(scope, [document, aDocument(`${long}y`, 'other')]);
    const known = await scene.index.known(scope, [long, 'nothing']);
    expect([...known]).toEqual([[long, { hash: document.hash, validator: { etag: '"1"' }, isMet: true }]]);
    const next = await scene.index.known({ ...scope, syncId: newId('sync') }, [long]);
    expect([...next.values()]).toEqual([{ hash: document.hash, validator: { etag: '"1"' }, isMet: false }]);
  });

  it('has a document of an earlier reader version read again, and replaces it if the text differs', async () => {
    const documents = ['a', 'b'].map((key) => aDocument(key, `# ${key}\n\nwords`, { validator: { etag: key } }));
    await scene.index.putMany(scope, documents);
    await scene.query('update knowledge_documents set read_version = null where source_id = $1', [scope.sourceId]);
    const next = nextSync();
    const stale = { hash: '', validator: null, isMet: false };
    expect([...(await scene.index.known(next, ['a', 'b'])).values()]).toEqual([stale, stale]);

    const fenced = '```\n# a\n```\n\nwords';
    const read = documents.map((document) => (document.key === 'a' ? { ...document, text: fenced } : document));
    expect(await scene.index.putMany(next, read)).toEqual({ added: 0, updated: 1, unchanged: 1 });
    const after = await scene.query<{ version: number; heading: string }>(
      `select d.version, c.heading from knowledge_documents d join knowledge_chunks c on c.document_id = d.id
        where d.source_id = $1 order by d.key`,
      [scope.sourceId],
    );
    expect(after).toEqual([
      { version: 2, heading: '' },
      { version: 1, heading: 'b' },
    ]);
    const known = await scene.index.known(nextSync(), ['a', 'b']);
    expect([...known.values()].map(({ hash }) => hash)).toEqual(documents.map(({ hash }) => hash));
    // A document with an unchanged hash is skipped even if its text differs. Outside this test the text cannot differ:
    // one version of the text extraction always extracts the same text from the same bytes.
    expect(await scene.index.putMany(nextSync(), documents)).toEqual({ added: 0, updated: 0, unchanged: 2 });
  });

  it('still has a document read again if reading it failed', async () => {
    await scene.index.putMany(scope, [aDocument('a', 'one')]);
    await scene.query('update knowledge_documents set read_version = null where source_id = $1', [scope.sourceId]);
    await scene.index.markSeen(nextSync(), ['a']);
    expect((await scene.index.known(nextSync(), ['a'])).get('a')).toMatchObject({ hash: '' });
  });

  it('deletes the documents that a sync has not seen, and no others', async () => {
    await scene.index.putMany(scope, [aDocument('a', 'one'), aDocument('b', 'two'), aDocument('c', 'three')]);
    const sync = nextSync();
    await scene.index.putMany(sync, [aDocument('a', 'one')]);
    await scene.index.markSeen(sync, ['b']);
    expect(await scene.index.countUnseen(sync)).toEqual({ unseen: 1, total: 3 });
    expect(await scene.index.removeUnseen(sync)).toBe(1);
    expect(await counts()).toEqual([2, 2]);
    expect(await scene.index.putMany(sync, [aDocument('c', 'three')])).toEqual({ added: 1, updated: 0, unchanged: 0 });
    expect(await counts()).toEqual([3, 3]);
  });

  it('deletes all documents of a source', async () => {
    await scene.index.putMany(scope, [aDocument('a', 'one'), aDocument('b', 'two')]);
    expect(await scene.index.removeSource(scope)).toBe(2);
    expect(await counts()).toEqual([0, 0]);
  });

  it('rejects documents of a deleted source or base', async () => {
    await scene.query('update knowledge_bases set deleted_at = now() where id = $1', [scope.knowledgeBaseId]);
    await expect(scene.index.putMany(scope, [aDocument('a', 'one')])).rejects.toMatchObject({ code: 'not_found' });
    const elsewhere = { ...scope, workspaceId: newId('workspace') };
    await expect(scene.index.putMany(elsewhere, [aDocument('a', 'one')])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps the counts exact under concurrent writes to one base', async () => {
    const other = await scene.aSource(scope.knowledgeBaseId);
    const batch = (prefix: string) => Array.from({ length: 10 }, (_, n) => aDocument(`${prefix}${n}`, `text ${n}`));
    const scopes = [scope, other, scope, other, scope, other];
    await Promise.all(scopes.map((each, n) => scene.index.putMany(each, batch(String(n % 3)))));
    const [row] = await scene.query('select document_count, chunk_count from knowledge_bases where id = $1', [
      scope.knowledgeBaseId,
    ]);
    expect(row).toEqual({ document_count: 60, chunk_count: 60 });
    expect(await words()).toMatchObject({ text: 60 });
  });

  it('writes a document with very many passages', async () => {
    const text = Array.from({ length: 60_000 }, (_, n) => `Sentence ${n % 977} of a long text.`).join(' ');
    await scene.index.putMany(scope, [aDocument('long', text)]);
    const [, chunks] = (await counts()) ?? [];
    expect(chunks).toBeGreaterThan(800);
  });

  it('leaves its transaction idle for at most one piece of a long text', async () => {
    const tap = await PostgresTap.open(database.url);
    const tapped = await KnowledgeScene.within(tap.url, scene.workspaceId);
    const text = 'A sentence of a long text. '.repeat(80_000);
    try {
      await tapped.index.putMany(scope, [aDocument('long', text)]);
    } finally {
      await tapped.close();
      await tap.close();
    }
    expect(tap.roundTrips.length).toBeGreaterThan(text.length / CHARACTERS_PER_CUT);
  });
});
