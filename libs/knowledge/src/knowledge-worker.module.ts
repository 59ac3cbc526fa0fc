import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { Clock, systemClock } from '@app/kernel';
import { FilesModule } from '@app/files';
import { EgressModule } from '@app/platform/egress';
import { ExtractionModule } from '@app/platform/extraction';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { DocumentPurgeRepository } from './documents/document-purge.repository.js';
import { DocumentPurgeService } from './documents/document-purge.service.js';
import { IndexBuildRepository } from './indexing/index-build.repository.js';
import { IndexBuilderService } from './indexing/index-builder.service.js';
import { IndexWorkStore } from './indexing/index-work.store.js';
import { IndexWorker } from './indexing/index.worker.js';
import { WaitingPassageRepository } from './indexing/waiting-passage.repository.js';
import { KnowledgeModule } from './knowledge.module.js';
import { UploadMoveService } from './uploads/upload-move.service.js';
import { SyncBatchService } from './syncs/sync-batch.service.js';
import { SyncOutcomeService } from './syncs/sync-outcome.service.js';
import { SyncRunnerService } from './syncs/sync-runner.service.js';
import { SyncStore } from './syncs/sync.store.js';
import { SyncWorker } from './syncs/sync.worker.js';

@Module({
  imports: [
    ConnectionsModule,
    ConnectorsModule,
    EgressModule,
    ExtractionModule,
    FilesModule,
    KnowledgeModule,
    SecretsModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    DocumentPurgeRepository,
    DocumentPurgeService,
    IndexBuildRepository,
    IndexBuilderService,
    IndexWorkStore,
    IndexWorker,
    SyncBatchService,
    SyncOutcomeService,
    SyncRunnerService,
    SyncStore,
    SyncWorker,
    UploadMoveService,
    WaitingPassageRepository,
  ],
  exports: [DocumentPurgeService, IndexWorker, SyncWorker, UploadMoveService],
})
export class KnowledgeWorkerModule {}
