import type { Transaction } from '@app/platform/database';
import type { DocumentWrites, LockedBase, PassageCount } from './document-writes.repository.js';
import type { SourceScope } from './incoming-document.js';
import { type NewPassage, passagesOf } from './passages.js';

/** Passages of one statement: a document of any size is cut while the ones before are written. */
const PASSAGES_AT_ONCE = 400;

/** Writes passages batch by batch, in the generation that is searched and in the one that is being built beside it. */
export class PassageWriter {
  private batch: NewPassage[] = [];

  constructor(
    private readonly writes: DocumentWrites,
    private readonly scope: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    private readonly base: Pick<LockedBase, 'settings'>,
    private readonly generations: readonly number[],
    private readonly transaction: Transaction,
  ) {}

  /** Cuts the text of a document, and says how much came of it. */
  async add(document: { id: string; title: string; language: string }, text: string): Promise<PassageCount> {
    const count = { id: document.id, chunks: 0, words: 0 };
    for (const passage of passagesOf(document, text, this.base.settings)) {
      count.chunks += 1;
      count.words += passage.words;
      this.batch.push(passage);
      if (this.batch.length === PASSAGES_AT_ONCE) await this.flush();
    }
    return count;
  }

  /** Writes what is left. */
  async flush(): Promise<void> {
    if (this.batch.length === 0) return;
    const passages = this.batch;
    this.batch = [];
    for (const generation of this.generations) {
      await this.writes.addPassages(this.scope, generation, passages, this.transaction);
    }
  }
}
