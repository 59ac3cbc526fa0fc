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

/** What became of a batch. */
export interface IndexedBatch {
  added: number;
  updated: number;
  unchanged: number;
}

/** The documents of sources, ready to be searched. Every change is one transaction, and the counts of source and base with it. */
@Injectable()
export class DocumentIndexService {
  constructor(
    private readonly transactions: Transactions,
    private readonly writes: DocumentStore,
    private readonly marks: SourceDocumentRepository,
    private readonly cutter: PassageCutter,
  ) {}

  /** What is known of those of the keys that are documents of the source. */
  async known(scope: SourceScope, keys: readonly string[]): Promise<Map<string, KnownSourceDocument>> {
    const given = new Map(keys.map((key) => [storedKey(key), key]));
    const rows = await this.marks.known(scope, [...given.keys()]);
    return new Map(rows.map(({ key, ...known }) => [given.get(key) ?? key, known]));
  }

  /**
   * Adds new documents and replaces those whose hash has changed; all of them count as seen by the sync. Of one key the last counts.
   * Repeating it changes nothing. `inside`: the transaction it is part of; otherwise it is one of its own.
   * @throws DomainError `not_found` where source or base has been deleted
   */
  async putMany(
    scope: SourceScope,
    documents: readonly IncomingDocument[],
    inside?: Transaction,
  ): Promise<IndexedBatch> {
    const incoming = [...new Map(documents.map(storableDocument).map((each) => [each.key, each])).values()];
    if (incoming.length === 0) return { added: 0, updated: 0, unchanged: 0 };
    const work = async (transaction: Transaction): Promise<IndexedBatch> => {
      const base = await this.locked(scope, transaction);
      const known = await this.writes.detectedLanguages(base.id, [base.generation], transaction);
      const rows = (await assignLanguages(incoming, base.indexed.language, known)).map(asRow);
      const stored = await this.writes.write(scope, rows, transaction);
      const changed = new Map(stored.map((document) => [document.key, document]));
      const unchanged = incoming.filter(({ key }) => !changed.has(key));
      if (unchanged.length > 0) await this.writes.markSeen(scope, unchanged.map(asSeen), transaction);
      if (stored.length > 0) await this.cut(scope, base, rows, changed, transaction);
      const added = stored.filter((document) => document.added).length;
      return { added, updated: stored.length - added, unchanged: unchanged.length };
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  /** These documents are as they were. */
  async markSeen(scope: SourceScope, keys: readonly string[], inside?: Transaction): Promise<void> {
    const known = keys.map((key) => ({ key: storedKey(key) }));
    const work = (transaction: Transaction): Promise<void> => this.writes.markSeen(scope, known, transaction);
    return inside ? work(inside) : this.transactions.run(work);
  }

  /** Documents of the source that the sync has not met, and all of them. */
  countUnseen(scope: SourceScope): Promise<{ unseen: number; total: number }> {
    return this.marks.countUnseen(scope);
  }

  /** Deletes what the sync has not met: nobody finds it from the commit on. Says how many documents that were. */
  async removeUnseen(scope: SourceScope, inside?: Transaction): Promise<number> {
    const work = async (transaction: Transaction): Promise<number> => {
      await this.locked(scope, transaction);
      return this.removed(scope, { unseenBy: scope.syncId }, transaction);
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  /** Deletes one document in somebody's transaction. False where there is none of the key. */
  async removeOne(scope: Omit<SourceScope, 'syncId'>, key: string, transaction: Transaction): Promise<boolean> {
    await this.writes.lock(scope, transaction);
    return (await this.removed(scope, { key: storedKey(key) }, transaction)) > 0;
  }

  /**
   * Deletes all documents of a source, in the transaction that deletes the source (which locks it first) or in one of its own. Nobody
   * finds them from the commit on.
   */
  async removeSource(
    scope: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId' | 'sourceId'>,
    inside?: Transaction,
  ): Promise<number> {
    const work = async (transaction: Transaction): Promise<number> => {
      await this.writes.lock(scope, transaction);
      return this.removed(scope, {}, transaction);
    };
    return inside ? work(inside) : this.transactions.run(work);
  }

  private async removed(
    scope: Omit<SourceScope, 'syncId'>,
    which: WhichDocuments,
    transaction: Transaction,
  ): Promise<number> {
    const { documents, chunks, words } = await this.marks.remove(scope, which, transaction);
    const change = { documents: -documents, chunks: -chunks, words: -words, languages: [], embeds: false };
    if (documents > 0) await this.writes.count(scope, change, transaction);
    return documents;
  }

  private async locked(scope: SourceScope, transaction: Transaction): Promise<LockedBase> {
    const base = await this.writes.lock(scope, transaction);
    if (!base) throw notFound('source', scope.sourceId);
    return base;
  }

  /** The passages of what was added or changed, in the generation that is searched and in the one that is being built. */
  private async cut(
    scope: SourceScope,
    base: LockedBase,
    rows: readonly ReadDocument[],
    changed: ReadonlyMap<string, StoredDocument>,
    transaction: Transaction,
  ): Promise<void> {
    const replaced = [...changed.values()].filter(({ added }) => !added).map(({ id }) => id);
    if (replaced.length > 0) await this.writes.clear(scope, replaced, transaction);
    const live = { number: base.generation, made: base.indexed };
    const texts = rows.flatMap(({ key, title, url, language, detected, body }) => {
      const id = changed.get(key)?.id;
      return id === undefined ? [] : [{ id, title, address: url ?? key, language, detected, text: body }];
    });
    const now = await this.cutFor(live, scope, texts, transaction);
    const before = await this.writes.countDocuments(scope.workspaceId, now.counts, transaction);
    if (base.building !== null) await this.cutBeside(base.building, base, scope, texts, transaction);
    const change = {
      documents: changed.size - replaced.length,
      chunks: sum(now.counts.map(({ chunks }) => chunks)) - before.chunks,
      words: sum(now.counts.map(({ words }) => words)) - before.words,
      languages: [...now.languages],
      embeds: live.made.embedding !== null,
    };
    await this.writes.count(scope, change, transaction);
  }

  /** What has changed while a new index is built is in both from its commit on. */
  private async cutBeside(
    building: number,
    { id, generation, settings }: LockedBase,
    scope: SourceScope,
    texts: readonly CutText[],
    transaction: Transaction,
  ): Promise<void> {
    const known = await this.writes.detectedLanguages(id, [generation, building], transaction);
    const read = await assignLanguages(texts, settings.language, known);
    const { counts } = await this.cutFor({ number: building, made: settings }, scope, read, transaction);
    await this.writes.countBuilt(scope.workspaceId, { generation: building, counts }, transaction);
  }

  private async cutFor(
    generation: Generation,
    scope: SourceScope,
    texts: readonly CutText[],
    transaction: Transaction,
  ): Promise<PassageWriter> {
    const passages = new PassageWriter(this.cutter, this.writes, scope, generation, transaction);
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
