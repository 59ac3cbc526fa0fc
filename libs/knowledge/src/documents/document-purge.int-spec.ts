import { newId } from '@app/kernel';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { DeletedDocuments } from './document-purge.repository.js';
import type { SourceScope } from './storable-document.js';

describe('clearing deleted documents away', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let scope: SourceScope;
  const deleted = new DeletedDocuments();

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
    await scene.index.putMany(scope, [
      aDocument('old', `# A\n\nrefunds\n\n# B\n\nparcels`),
      aDocument('new', 'refunds'),
    ]);
  });

  const clear = async (limit = 100): Promise<number> => {
    let batches = 0;
    const batch = () =>
      scene.transactions.run(async (transaction) => {
        const base = await deleted.lockBase(transaction);
        if (base !== undefined) await deleted.clear(base, limit, transaction);
        return base;
      });
    while ((await batch()) !== undefined) batches += 1;
    return batches;
  };
  const left = async () => {
    const [row] = await scene.query(
      `select (select count(*)::integer from knowledge_documents where knowledge_base_id = $1) as documents,
        (select count(*)::integer from knowledge_chunks where knowledge_base_id = $1) as passages,
        (select coalesce(max(passages), 0) from knowledge_words where knowledge_base_id = $1 and word = 'refund') as refunds,
        (select count(*)::integer from knowledge_words where knowledge_base_id = $1 and word = 'parcel') as parcels`,
      [scope.knowledgeBaseId],
    );
    return row;
  };
  const removeOld = async (): Promise<void> => {
    const sync = { ...scope, syncId: newId('sync') };
    await scene.index.markSeen(sync, ['new']);
    await scene.index.removeUnseen(sync);
  };

  it('leaves what has just been deleted, and what is not', async () => {
    await removeOld();
    expect(await clear()).toBe(0);
    expect(await left()).toEqual({ documents: 2, passages: 3, refunds: 2, parcels: 1 });
  });

  it('removes documents, passages and words, in batches of any size', async () => {
    await removeOld();
    await scene.query(`update knowledge_documents set deleted_at = deleted_at - interval '1 hour' where key = 'old'`);
    expect(await clear(1)).toBeGreaterThan(1);
    expect(await left()).toEqual({ documents: 1, passages: 1, refunds: 1, parcels: 0 });
    expect(await clear()).toBe(0);
  });

  it('removes all that a deleted base has held', async () => {
    await scene.query(`update knowledge_bases set deleted_at = now() - interval '1 hour' where id = $1`, [
      scope.knowledgeBaseId,
    ]);
    await clear();
    expect(await left()).toEqual({ documents: 0, passages: 0, refunds: 0, parcels: 0 });
  });
});
