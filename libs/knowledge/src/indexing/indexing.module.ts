import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { IndexBuildRepository } from './index-build.repository.js';
import { IndexBuilderService } from './index-builder.service.js';
import { IndexWorkStore } from './index-work.store.js';
import { IndexWorker } from './index.worker.js';
import { WaitingPassageRepository } from './waiting-passage.repository.js';

@Module({
  imports: [DocumentsModule, EmbeddingModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    IndexBuildRepository,
    IndexBuilderService,
    IndexWorkStore,
    IndexWorker,
    WaitingPassageRepository,
  ],
  exports: [IndexWorker],
})
export class IndexingModule {}
