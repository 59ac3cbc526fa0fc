import { isDeepStrictEqual } from 'node:util';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { indexSettings } from '../bases/knowledge-settings.js';
import { inLanguages } from '../documents/language.js';
import { DocumentWrites } from '../documents/document-writes.repository.js';
import { PassageCutter } from '../documents/passage-cutter.service.js';
import { PassageWriter } from '../documents/passage-writer.js';
import { IndexBuild } from './index-build.repository.js';
import { VectorIndex } from './vector-index.repository.js';
import type { ClaimedIndex } from './index-journal.repository.js';

/**
 * Builds a generation beside the one that is searched, batch by batch: each is a transaction that says of its documents that they
 * are built, so that a worker that dies loses one batch. Documents that come, change or go meanwhile do so in both.
 */
@Injectable()
export class IndexBuilder {
  constructor(
    private readonly transactions: Transactions,
    private readonly build: IndexBuild,
    private readonly writes: DocumentWrites,
    private readonly cutter: PassageCutter,
    private readonly vectors: VectorIndex,
  ) {}

  /** Cuts some documents behind the one with the id `after`, and gives the last one's; undefined where there are none. */
  cutSome(index: ClaimedIndex, building: number, after: string): Promise<string | undefined> {
    return this.transactions.run(async (transaction) => {
      const base = await this.build.lock(index, transaction);
      if (base?.building !== building) return undefined;
      const documents = await this.build.take(index, building, after, transaction);
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
      for (const { text, ...document } of await inLanguages(documents, base.settings.language, known))
        await passages.add(document, text);
      await passages.flush();
      const { counts, languages } = passages;
      await this.writes.countBuilt(index.workspaceId, { generation: building, counts }, transaction);
      await this.writes.addLanguages(index, [...languages], transaction);
      return documents.at(-1)?.id;
    });
  }

  /** Where everything is built it is searched from here on; where nothing waits for a vector either, the work is over: true. */
  async complete(index: ClaimedIndex): Promise<boolean> {
    const isComplete = await this.transactions.run(async (transaction) => {
      const base = await this.build.lock(index, transaction);
      if (!base) return true;
      if (base.building !== null) {
        if (!(await this.build.isBuilt(index, base.building, transaction))) return false;
        await this.build.swap(index, indexSettings(base.settings), transaction);
      }
      return this.build.finish(index, transaction);
    });
    if (isComplete) await this.vectors.ensure(index);
    return isComplete;
  }
}
