import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { EgressModule } from '@app/platform/egress';
import { IdempotencyModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { SyncsModule } from '../syncs/syncs.module.js';
import { ConnectorCatalogService } from './connector-catalog.service.js';
import { KnowledgeSourcesService } from './knowledge-sources.service.js';
import { SourceAuthorizationsService } from './source-authorizations.service.js';
import { SourceSettingsService } from './source-settings.service.js';
import { SourceStoreModule } from './store/source-store.module.js';
import { UploadsService } from './uploads.service.js';

/**
 * Adds, changes, authorises and deletes sources, and accepts documents that are pushed into them. The app must provide
 * `CronTimes`.
 */
@Module({
  imports: [
    BasesModule,
    ConnectionsModule,
    ConnectorsModule,
    DocumentsModule,
    EgressModule,
    IdempotencyModule,
    SecretsModule,
    SourceStoreModule,
    SyncsModule,
    WorkspaceModule,
  ],
  providers: [
    ConnectorCatalogService,
    KnowledgeSourcesService,
    SourceAuthorizationsService,
    SourceSettingsService,
    UploadsService,
  ],
  exports: [ConnectorCatalogService, KnowledgeSourcesService, SourceAuthorizationsService, UploadsService],
})
export class SourcesModule {}
