import { isDeepStrictEqual } from 'node:util';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { indexSettings } from '../bases/knowledge-settings.js';
import { assignLanguages } from '../documents/document-language.js';
import { DocumentStore } from '../documents/document.store.js';
import { PassageCutter } from '../documents/passage-cutter.js';
import { PassageWriter } from '../documents/passage-writer.js';
import { IndexBuildRepository } from './index-build.repository.js';
import { VectorIndexRepository } from './vector-index.repository.js';
import type { ClaimedIndex } from './index-work.store.js';

/**
 * Builds a generation beside the one that is searched, batch by batch: each is a transaction that says of its documents that they
 * are built, so that a worker that dies loses one batch. Documents that come, change or go meanwhile do so in both.
 */
@Injectable()
export class IndexBuilderService {
  constructor(
    private readonly transactions: Transactions,
    private readonly build: IndexBuildRepository,
    private readonly writes: DocumentStore,
    private readonly cutter: PassageCutter,
    private readonly vectors: VectorIndexRepository,
  ) {}

  /** Cuts some documents behind the one with the id `after`, and gives the last one's; undefined where there are none. */
  buildBatch(index: ClaimedIndex, building: number, after: string): Promise<string | undefined> {
    return this.transactions.run(async (transaction) => {
      const base = await this.build.lock(index, transaction);
      if (base?.building !== building) return undefined;
      const documents = await this.build.readUnbuilt(index, building, after, transaction);
      const sameModel = isDeepStrictEqual(base.indexed.embedding, base.settings.embedding);
      const passages = new PassageWriter(
        this.cutter,
        this.writes,
        index,
        { number: building, made: base.settings, ...(sameModel && { vectorsOf: base.generation }) },
        transaction,
      );
      const known = await this.writes.detectedLanguages(
        index.knowledgeBaseId,
        [base.generation, building],
        transaction,
      );
      for (const { text, ...document } of await assignLanguages(documents, base.settings.language, known))
        await passages.add(document, text);
      await passages.flush();
      const { counts, languages } = passages;
      await this.writes.countBuilt(index.workspaceId, { generation: building, counts }, transaction);
      await this.writes.addLanguages(index, [...languages], transaction);
      return documents.at(-1)?.id;
    });
  }

  /** Where everything is built it is searched from here on; where nothing waits for a vector either, the work is over: true. */
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
    if (isComplete) await this.vectors.ensureIndex(index);
    return isComplete;
  }
}
