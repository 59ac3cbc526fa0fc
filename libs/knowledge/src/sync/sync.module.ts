import { Clock, systemClock } from '@app/kernel';
import { EventOutboxModule } from '@app/events';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule, WorkspaceModule } from '@app/workspace';
import { type DynamicModule, Module } from '@nestjs/common';
import { ExtractionPool } from '@app/platform/extraction';
import { IndexingModule } from '../indexing/indexing.module.js';
import { BatchRunner } from './batch-runner.service.js';
import { CrawledPagesRepository } from './crawled-pages.repository.js';
import { SourceAccess } from './source-access.service.js';
import { SourceConnectors } from './source-connectors.service.js';
import { SyncEnding } from './sync-ending.service.js';
import { SyncJournal } from './sync-journal.repository.js';
import { SyncOutcomes } from './sync-outcomes.repository.js';
import { SyncRunner } from './sync-runner.service.js';
import { SyncSchedules } from './sync-schedules.service.js';
import { SyncWorker } from './sync-worker.service.js';

/** Carrying syncs out: what a worker process adds to the knowledge module. */
@Module({})
export class SyncModule {
  /** `knowledge`: what `KnowledgeModule.of` gave. */
  static of(knowledge: DynamicModule): DynamicModule {
    return {
      module: SyncModule,
      imports: [knowledge, EgressModule, EventOutboxModule, IndexingModule, SecretsModule, WorkspaceModule],
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
    };
  }
}
