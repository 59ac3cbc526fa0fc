import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DocumentsModule } from '../documents/documents.module.js';
import { SourceStoreModule } from '../sources/store/source-store.module.js';
import { KnowledgeSyncEntity } from './knowledge-sync.entity.js';
import { KnowledgeSyncRepository } from './knowledge-sync.repository.js';
import { SourceSyncsService } from './source-syncs.service.js';

/** Requests, reads and cancels syncs. The app must provide `CronTimes`. */
@Module({
  imports: [
    TypeOrmModule.forFeature([KnowledgeSyncEntity]),
    DocumentsModule,
    IdempotencyModule,
    SourceStoreModule,
    WorkspaceModule,
  ],
  providers: [KnowledgeSyncRepository, SourceSyncsService],
  exports: [KnowledgeSyncRepository, SourceSyncsService],
})
export class SyncsModule {}
