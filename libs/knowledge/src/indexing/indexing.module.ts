import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { BaseIndexing } from './base-indexing.service.js';
import { IndexBuild } from './index-build.repository.js';
import { IndexBuilder } from './index-builder.service.js';
import { IndexJournal } from './index-journal.repository.js';
import { IndexWorker } from './index-worker.service.js';
import { PassageEmbedding } from './passage-embedding.service.js';
import { VectorIndex } from './vector-index.repository.js';
import { WaitingPassages } from './waiting-passages.repository.js';

/** What a worker process does on indexes: vectors, and new generations where settings have changed. */
@Module({
  imports: [DocumentsModule, EmbeddingModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    BaseIndexing,
    IndexBuild,
    IndexBuilder,
    IndexJournal,
    IndexWorker,
    PassageEmbedding,
    VectorIndex,
    WaitingPassages,
  ],
  exports: [IndexWorker],
})
export class IndexingModule {}
