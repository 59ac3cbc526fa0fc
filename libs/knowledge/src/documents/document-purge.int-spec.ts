import { newId } from '@app/kernel';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import { DocumentPurgeRepository } from './document-purge.repository.js';
import type { SourceScope } from './storable-document.js';

describe('purging deleted documents', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let scope: SourceScope;
  const rows = new DocumentPurgeRepository();

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

  const purge = async (limit = 100): Promise<number> => {
    let batches = 0;
    const batch = () =>
      scene.transactions.run(async (transaction) => {
        const base = await rows.lockBase(transaction);
        if (base !== undefined) await rows.purgeDocuments(base, limit, transaction);
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

  it('keeps documents that are not deleted, or were deleted less than a minute ago', async () => {
    await removeOld();
    expect(await purge()).toBe(0);
    expect(await left()).toEqual({ documents: 2, passages: 3, refunds: 2, parcels: 1 });
  });

  it('deletes documents, passages and words in batches of any size', async () => {
    await removeOld();
    await scene.query(`update knowledge_documents set deleted_at = deleted_at - interval '1 hour' where key = 'old'`);
    expect(await purge(1)).toBeGreaterThan(1);
    expect(await left()).toEqual({ documents: 1, passages: 1, refunds: 1, parcels: 0 });
    expect(await purge()).toBe(0);
  });

  it('deletes everything in a deleted base', async () => {
    await scene.query(`update knowledge_bases set deleted_at = now() - interval '1 hour' where id = $1`, [
      scope.knowledgeBaseId,
    ]);
    await purge();
    expect(await left()).toEqual({ documents: 0, passages: 0, refunds: 0, parcels: 0 });
  });
});
