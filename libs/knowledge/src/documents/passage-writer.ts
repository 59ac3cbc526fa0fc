import type { Transaction } from '@app/platform/database';
import type { DocumentStore, Generation, PassageCount } from './document.store.js';
import type { SourceScope } from './storable-document.js';
import type { PassageCutter } from './passage-cutter.js';
import {
  CHARACTERS_AT_ONCE,
  CHARACTERS_PER_CUT,
  type CutDocument,
  type NewPassage,
  PASSAGES_AT_ONCE,
} from './passages.js';

export class PassageWriter {
  readonly counts: PassageCount[] = [];
  readonly languages = new Set<string>();
  private batch: NewPassage[] = [];
  private characters = 0;
  private sinceStatement = 0;

  constructor(
    private readonly cutter: PassageCutter,
    private readonly store: DocumentStore,
    private readonly scope: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    private readonly generation: Generation,
    private readonly transaction: Transaction,
  ) {}

  async add(document: CutDocument, text: string): Promise<void> {
    this.languages.add(document.language);
    const count = { id: document.id, chunks: 0, words: 0 };
    for await (const passages of this.cutter.cut({ document, text, settings: this.generation.made })) {
      count.chunks += passages.length;
      for (const { words } of passages) count.words += words;
      const characters = passages.reduce((sum, { body }) => sum + body.length, 0);
      const isMuch =
        this.batch.length + passages.length > PASSAGES_AT_ONCE || this.characters + characters > CHARACTERS_AT_ONCE;
      if (isMuch) await this.flush();
      this.batch.push(...passages);
      this.characters += characters;
      this.sinceStatement += characters;
      if (this.sinceStatement >= CHARACTERS_PER_CUT) await this.keepAlive();
    }
    this.counts.push(count);
  }

  private async keepAlive(): Promise<void> {
    this.sinceStatement = 0;
    await this.store.keepAlive(this.transaction);
  }

  async flush(): Promise<void> {
    if (this.batch.length === 0) return;
    const passages = this.batch;
    this.batch = [];
    this.characters = 0;
    this.sinceStatement = 0;
    await this.store.addPassages(this.scope, this.generation, passages, this.transaction);
  }
}
