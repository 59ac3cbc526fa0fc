import type { Transaction } from '@app/platform/database';
import type { DocumentWrites, Generation, PassageCount } from './document-writes.repository.js';
import type { SourceScope } from './incoming-document.js';
import { type NewPassage, passagesOf, readingLanguage } from './passages.js';

/** Passages of one statement: a document of any size is cut while the ones before are written. */
const PASSAGES_AT_ONCE = 400;

/** Writes passages in one generation, batch by batch. */
export class PassageWriter {
  readonly counts: PassageCount[] = [];
  /** What the documents were read in. */
  readonly languages = new Set<string>();
  private batch: NewPassage[] = [];

  constructor(
    private readonly writes: DocumentWrites,
    private readonly scope: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    private readonly generation: Generation,
    private readonly transaction: Transaction,
  ) {}

  /** Cuts the text of a document, and counts what came of it. */
  async add(document: { id: string; title: string }, text: string): Promise<void> {
    const { made } = this.generation;
    const language = readingLanguage(text, made);
    this.languages.add(language);
    const count = { id: document.id, chunks: 0, words: 0 };
    for (const passage of passagesOf({ ...document, language }, text, made)) {
      count.chunks += 1;
      count.words += passage.words;
      this.batch.push(passage);
      if (this.batch.length === PASSAGES_AT_ONCE) await this.flush();
    }
    this.counts.push(count);
  }

  /** Writes what is left. */
  async flush(): Promise<void> {
    if (this.batch.length === 0) return;
    const passages = this.batch;
    this.batch = [];
    await this.writes.addPassages(this.scope, this.generation, passages, this.transaction);
  }
}
