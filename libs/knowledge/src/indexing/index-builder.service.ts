import { isDeepStrictEqual } from 'node:util';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { indexSettings } from '../bases/knowledge-settings.js';
import { assignLanguages, loadDetector } from '../documents/document-language.js';
import { DocumentStore } from '../documents/document.store.js';
import { PassageCutter } from '../documents/passage-cutter.js';
import { PassageWriter } from '../documents/passage-writer.js';
import { IndexBuildRepository } from './index-build.repository.js';
import type { ClaimedIndex } from './index-work.store.js';

/**
 * Each batch is one transaction that also records its documents, so a worker that dies loses at most one batch.
 * Documents that change during the build are changed in both generations.
 */
@Injectable()
export class IndexBuilderService {
  constructor(
    private readonly transactions: Transactions,
    private readonly build: IndexBuildRepository,
    private readonly store: DocumentStore,
    private readonly cutter: PassageCutter,
  ) {}

  /** Returns undefined if no document is left, or if `building` is no longer the generation that is being built. */
  async buildBatch(index: ClaimedIndex, building: number, after: string): Promise<string | undefined> {
    await loadDetector();
    return this.transactions.run(async (transaction) => {
      const base = await this.build.lock(index, transaction);
      if (base?.building !== building) return undefined;
      const documents = await this.build.readUnbuilt(index, building, after, transaction);
      const sameModel = isDeepStrictEqual(base.indexed.embedding, base.settings.embedding);
      const passages = new PassageWriter(
        this.cutter,
        this.store,
        index,
        { number: building, made: base.settings, ...(sameModel && { vectorsOf: base.generation }) },
        transaction,
      );
      const known = await this.store.readDetectedLanguages(
        index.knowledgeBaseId,
        [base.generation, building],
        transaction,
      );
      for (const { text, ...document } of await assignLanguages(documents, base.settings.language, known))
        await passages.add(document, text);
      await passages.flush();
      const { counts, languages } = passages;
      await this.store.recordBuilt(index.workspaceId, { generation: building, counts }, transaction);
      await this.store.addLanguages(index, [...languages], transaction);
      return documents.at(-1)?.id;
    });
  }

  /** Returns true if this worker has no index work left for the knowledge base. */
  async completeBuild(index: ClaimedIndex): Promise<boolean> {
    const isComplete = await this.transactions.run(async (transaction) => {
      const base = await this.build.lock(index, transaction);
      if (!base) return true;
      if (base.building !== null) {
        if (!(await this.build.isBuilt(index, base.building, transaction))) return false;
        await this.build.activateBuilt(index, indexSettings(base.settings), transaction);
      }
      return this.build.finishIfEmbedded(index, transaction);
    });
    if (isComplete) await this.build.ensureVectorIndex(index);
    return isComplete;
  }
}
