import { Clock, systemClock } from '@app/kernel';
import { EventOutboxModule } from '@app/events';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule, WorkspaceModule } from '@app/workspace';
import { type DynamicModule, Module } from '@nestjs/common';
import { Connectors, ConnectorSet } from '../connectors/connectors.js';
import { DatabaseConnectors, ServiceConnectors, SiteConnectors } from '../connectors/service-connectors.js';
import { MysqlConnector, PostgresConnector } from '../connectors/database/database.connector.js';
import { GitConnector } from '../connectors/git/git.connector.js';
import { HttpApiConnector } from '../connectors/http-api/http-api.connector.js';
import { OauthConnectors } from '../connectors/oauth/oauth.connector.js';
import { UploadConnector } from '../connectors/upload/upload.connector.js';
import { CrawlMemory } from '../connectors/website/crawl-memory.repository.js';
import { CrawlTools, SitemapConnector, WebsiteConnector } from '../connectors/website/website.connector.js';
import { ExtractionPool } from '@app/platform/extraction';
import { IndexingModule } from '../indexing/indexing.module.js';
import { BatchRunner } from './batch-runner.service.js';
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
        { provide: ConnectorSet, useClass: ServiceConnectors },
        BatchRunner,
        Connectors,
        CrawlMemory,
        CrawlTools,
        ExtractionPool,
        DatabaseConnectors,
        GitConnector,
        HttpApiConnector,
        MysqlConnector,
        OauthConnectors,
        PostgresConnector,
        SiteConnectors,
        SitemapConnector,
        SyncEnding,
        SyncJournal,
        SyncOutcomes,
        SyncRunner,
        SyncSchedules,
        SyncWorker,
        UploadConnector,
        WebsiteConnector,
      ],
      exports: [SyncWorker],
    };
  }
}
