import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { Clock, systemClock } from '@app/kernel';
import { EventOutboxModule } from '@app/events';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ExtractionPool } from '@app/platform/extraction';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { IndexingModule } from '../indexing/indexing.module.js';
import { SourceStoreModule } from '../sources/store/source-store.module.js';
import { BatchRunner } from './batch-runner.service.js';
import { CrawledPagesRepository } from './crawled-pages.repository.js';
import { SourceAccess } from './source-access.service.js';
import { SourceConnectors } from './source-connectors.service.js';
import { SyncEnding } from './sync-ending.service.js';
import { SyncJournal } from './sync-journal.repository.js';
import { SyncOutcomes } from './sync-outcomes.repository.js';
import { SyncRunner } from './sync-runner.service.js';
import { SyncSchedules } from './sync-schedules.service.js';
import { SyncsModule } from './syncs.module.js';
import { SyncWorker } from './sync-worker.service.js';

/** Carrying syncs out: a part of worker processes. The app binds `CronTimes`. */
@Module({
  imports: [
    BasesModule,
    ConnectionsModule,
    ConnectorsModule,
    DocumentsModule,
    EgressModule,
    EventOutboxModule,
    IndexingModule,
    SecretsModule,
    SourceStoreModule,
    SyncsModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    BatchRunner,
    CrawledPagesRepository,
    ExtractionPool,
    SourceAccess,
    SourceConnectors,
    SyncEnding,
    SyncJournal,
    SyncOutcomes,
    SyncRunner,
    SyncSchedules,
    SyncWorker,
  ],
  exports: [SyncWorker],
})
export class SyncWorkerModule {}
