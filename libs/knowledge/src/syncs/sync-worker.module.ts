import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ExtractionService } from '@app/platform/extraction';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { IndexingModule } from '../indexing/indexing.module.js';
import { SourceStoreModule } from '../sources/store/source-store.module.js';
import { SyncBatchService } from './sync-batch.service.js';
import { SourceConnectorsService } from './source-connectors.service.js';
import { SyncOutcomeService } from './sync-outcome.service.js';
import { SyncStore } from './sync.store.js';
import { SyncRunnerService } from './sync-runner.service.js';
import { SyncsModule } from './syncs.module.js';
import { SyncWorker } from './sync.worker.js';

/** The part of a worker process that carries out syncs. The app must provide `CronTimes`. */
@Module({
  imports: [
    BasesModule,
    ConnectionsModule,
    ConnectorsModule,
    DocumentsModule,
    EgressModule,
    IndexingModule,
    SecretsModule,
    SourceStoreModule,
    SyncsModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    SyncBatchService,
    ExtractionService,
    SourceConnectorsService,
    SyncOutcomeService,
    SyncStore,
    SyncRunnerService,
    SyncWorker,
  ],
  exports: [SyncWorker],
})
export class SyncWorkerModule {}
