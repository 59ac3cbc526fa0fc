import { newId, notFound } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import {
  SourceDocumentRepository,
  type KnownSourceDocument,
  type WhichDocuments,
} from './source-document.repository.js';
import {
  DocumentStore,
  type Generation,
  type LockedBase,
  type NewDocument,
  type SeenDocument,
  type StoredDocument,
} from './document.store.js';
import type { IncomingDocument } from '@app/connectors';
import { type SourceScope, storableDocument, storedKey } from './storable-document.js';
import { type DocumentLanguage, assignLanguages } from './document-language.js';
import { PassageCutter } from './passage-cutter.js';
import { PassageWriter } from './passage-writer.js';
import type { CutDocument } from './passages.js';

export interface IndexedBatch {
  added: number;
  updated: number;
  unchanged: number;
}

@Injectable()
export class DocumentIndexService {
  constructor(
    private readonly transactions: Transactions,
    private readonly store: DocumentStore,
    private readonly sourceDocuments: SourceDocumentRepository,
    private readonly cutter: PassageCutter,
  ) {}

  async known(scope: SourceScope, keys: readonly string[]): Promise<Map<string, KnownSourceDocument>> {
    const given = new Map(keys.map((key) => [storedKey(key), key]));
    const rows = await this.sourceDocuments.findKnown(scope, [...given.keys()]);
    return new Map(rows.map(({ key, ...known }) => [given.get(key) ?? key, known]));
  }

  /**
   * Adds new documents and replaces documents whose hash has changed. Marks all given documents as seen by the sync. If
   * a key occurs twice, the last document wins.
   * @throws DomainError `not_found` if the source or the knowledge base is deleted
   */
  async putMany(
    scope: SourceScope,
    documents: readonly IncomingDocument[],
    inside?: Transaction,
  ): Promise<IndexedBatch> {
    const incoming = [...new Map(documents.map(storableDocument).map((each) => [each.key, each])).values()];
    if (incoming.length === 0) return { added: 0, updated: 0, unchanged: 0 };
    const work = async (transaction: Transaction): Promise<IndexedBatch> => {
      const base = await this.lockForWriting(scope, transaction);
      const known = await this.store.readDetectedLanguages(base.id, [base.generation], transaction);
      const rows = (await assignLanguages(incoming, base.indexed.language, known)).map(asRow);
      const stored = await this.store.writeDocuments(scope, rows, transaction);
      const changed = new Map(stored.map((document) => [document.key, document]));
      const unchanged = incoming.filter(({ key }) => !changed.has(key));
      if (unchanged.length > 0) await this.store.markSeen(scope, unchanged.map(asSeen), transaction);
      if (stored.length > 0) await this.cut(scope, base, rows, changed, transaction);
      const added = stored.filter((document) => document.added).length;
      return { added, updated: stored.length - added, unchanged: unchanged.length };
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  async markSeen(scope: SourceScope, keys: readonly string[], inside?: Transaction): Promise<void> {
    const known = keys.map((key) => ({ key: storedKey(key) }));
    const work = (transaction: Transaction): Promise<void> => this.store.markSeen(scope, known, transaction);
    return inside ? work(inside) : this.transactions.run(work);
  }

  countUnseen(scope: SourceScope): Promise<{ unseen: number; total: number }> {
    return this.sourceDocuments.countUnseen(scope);
  }

  /** After the commit, searches no longer find them. */
  async removeUnseen(scope: SourceScope, inside?: Transaction): Promise<number> {
    const work = async (transaction: Transaction): Promise<number> => {
      await this.lockForWriting(scope, transaction);
      return this.markDeleted(scope, { unseenBy: scope.syncId }, transaction);
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  async removeOne(scope: Omit<SourceScope, 'syncId'>, key: string, transaction: Transaction): Promise<boolean> {
    await this.store.lockForWriting(scope, transaction);
    return (await this.markDeleted(scope, { key: storedKey(key) }, transaction)) > 0;
  }

  /** `inside` is the transaction that deletes the source and holds the lock of the source. */
  async removeSource(
    scope: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId' | 'sourceId'>,
    inside?: Transaction,
  ): Promise<number> {
    const work = async (transaction: Transaction): Promise<number> => {
      await this.store.lockForWriting(scope, transaction);
      return this.markDeleted(scope, {}, transaction);
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  private async markDeleted(
    scope: Omit<SourceScope, 'syncId'>,
    which: WhichDocuments,
    transaction: Transaction,
  ): Promise<number> {
    const { documents, chunks, words } = await this.sourceDocuments.markDeleted(scope, which, transaction);
    const change = { documents: -documents, chunks: -chunks, words: -words, languages: [], embeds: false };
    if (documents > 0) await this.store.applyCountChange(scope, change, transaction);
    return documents;
  }

  private async lockForWriting(scope: SourceScope, transaction: Transaction): Promise<LockedBase> {
    const base = await this.store.lockForWriting(scope, transaction);
    if (!base) throw notFound('source', scope.sourceId);
    return base;
  }

  private async cut(
    scope: SourceScope,
    base: LockedBase,
    rows: readonly ReadDocument[],
    changed: ReadonlyMap<string, StoredDocument>,
    transaction: Transaction,
  ): Promise<void> {
    const replaced = [...changed.values()].filter(({ added }) => !added).map(({ id }) => id);
    if (replaced.length > 0) await this.store.deletePassages(scope, replaced, transaction);
    const live = { number: base.generation, made: base.indexed };
    const texts = rows.flatMap(({ key, title, url, language, detected, body }) => {
      const id = changed.get(key)?.id;
      return id === undefined ? [] : [{ id, title, address: url ?? key, language, detected, text: body }];
    });
    const now = await this.cutFor(live, scope, texts, transaction);
    const before = await this.store.recordCounts(scope.workspaceId, now.counts, transaction);
    if (base.building !== null) await this.cutForBuilding(base.building, base, scope, texts, transaction);
    const change = {
      documents: changed.size - replaced.length,
      chunks: sum(now.counts.map(({ chunks }) => chunks)) - before.chunks,
      words: sum(now.counts.map(({ words }) => words)) - before.words,
      languages: [...now.languages],
      embeds: live.made.embedding !== null,
    };
    await this.store.applyCountChange(scope, change, transaction);
  }

  private async cutForBuilding(
    building: number,
    { id, generation, settings }: LockedBase,
    scope: SourceScope,
    texts: readonly CutText[],
    transaction: Transaction,
  ): Promise<void> {
    const known = await this.store.readDetectedLanguages(id, [generation, building], transaction);
    const read = await assignLanguages(texts, settings.language, known);
    const { counts } = await this.cutFor({ number: building, made: settings }, scope, read, transaction);
    await this.store.recordBuilt(scope.workspaceId, { generation: building, counts }, transaction);
  }

  private async cutFor(
    generation: Generation,
    scope: SourceScope,
    texts: readonly CutText[],
    transaction: Transaction,
  ): Promise<PassageWriter> {
    const passages = new PassageWriter(this.cutter, this.store, scope, generation, transaction);
    for (const { text, ...document } of texts) await passages.add(document, text);
    await passages.flush();
    return passages;
  }
}

type ReadDocument = NewDocument & DocumentLanguage;

interface CutText extends CutDocument {
  text: string;
}

function asRow(document: IncomingDocument & DocumentLanguage): ReadDocument {
  const { key, title, url, contentType, text, language, detected, hash, validator } = document;
  const bytes = Buffer.byteLength(text);
  return {
    id: newId('document'),
    key,
    title,
    url,
    content_type: contentType,
    language,
    detected,
    hash,
    validator,
    bytes,
    body: text,
  };
}

function asSeen({ key, validator }: IncomingDocument): SeenDocument {
  return { key, validator, read: true };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
