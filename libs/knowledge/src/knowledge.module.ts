import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { Clock, systemClock } from '@app/kernel';
import { FilesModule } from '@app/files';
import { EgressModule } from '@app/platform/egress';
import { ExtractionModule } from '@app/platform/extraction';
import { IdempotencyModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeBaseEntity } from './bases/knowledge-base.entity.js';
import { KnowledgeBaseRepository } from './bases/knowledge-base.repository.js';
import { KnowledgeBasesService } from './bases/knowledge-bases.service.js';
import { DocumentIndexService } from './documents/document-index.service.js';
import { DocumentRepository } from './documents/document.repository.js';
import { DocumentStore } from './documents/document.store.js';
import { KnowledgeChunkEntity } from './documents/knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from './documents/knowledge-document.entity.js';
import { KnowledgeDocumentsService } from './documents/knowledge-documents.service.js';
import { PassageCutter } from './documents/passage-cutter.js';
import { SourceDocumentRepository } from './documents/source-document.repository.js';
import { AccessGrantEntity } from './grants/access-grant.entity.js';
import { AccessGrantRepository } from './grants/access-grant.repository.js';
import { KnowledgeAccessService } from './grants/knowledge-access.service.js';
import { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
import { ConnectorCatalogService } from './sources/connector-catalog.service.js';
import { KnowledgeSourcesService } from './sources/knowledge-sources.service.js';
import { SourceAuthorizationsService } from './sources/source-authorizations.service.js';
import { SourceTestsService } from './sources/source-tests.service.js';
import { SourceSettingsService } from './sources/source-settings.service.js';
import { KnowledgeSourceEntity } from './sources/store/knowledge-source.entity.js';
import { KnowledgeSourceRepository } from './sources/store/knowledge-source.repository.js';
import { SourceTokensService } from './sources/store/source-tokens.service.js';
import { UploadBytesService } from './uploads/upload-bytes.service.js';
import { UploadRepository } from './uploads/upload.repository.js';
import { UploadsService } from './sources/uploads.service.js';
import { KnowledgeSyncEntity } from './syncs/knowledge-sync.entity.js';
import { KnowledgeSyncRepository } from './syncs/knowledge-sync.repository.js';
import { SourceConnectorsService } from './syncs/source-connectors.service.js';
import { SourceSyncsService } from './syncs/source-syncs.service.js';

const ENTITIES = [
  AccessGrantEntity,
  KnowledgeBaseEntity,
  KnowledgeChunkEntity,
  KnowledgeDocumentEntity,
  KnowledgeSourceEntity,
  KnowledgeSyncEntity,
];
const BASES = [KnowledgeBaseRepository, KnowledgeBasesService, KnowledgeAccessService];
const DOCUMENTS = [
  DocumentIndexService,
  DocumentStore,
  KnowledgeDocumentsService,
  { provide: PassageCutter, useFactory: () => new PassageCutter() },
];
const SOURCES = [
  ConnectorCatalogService,
  KnowledgeSourceRepository,
  KnowledgeSourcesService,
  KnowledgeSyncRepository,
  SourceAuthorizationsService,
  SourceConnectorsService,
  SourceSyncsService,
  SourceTestsService,
  SourceTokensService,
  UploadBytesService,
  UploadRepository,
  UploadsService,
];
const EXPORTED = [...BASES, ...DOCUMENTS, ...SOURCES];

/** The app must provide `AgentDirectory` and `CronTimes`. */
@Module({
  imports: [
    TypeOrmModule.forFeature(ENTITIES),
    ConnectionsModule,
    ConnectorsModule,
    EgressModule,
    ExtractionModule,
    FilesModule,
    IdempotencyModule,
    KnowledgeSearchModule,
    SecretsModule,
    WorkspaceModule,
  ],
  providers: [
    ...EXPORTED,
    { provide: Clock, useValue: systemClock },
    AccessGrantRepository,
    DocumentRepository,
    SourceDocumentRepository,
    SourceSettingsService,
  ],
  exports: [...EXPORTED, KnowledgeSearchModule],
})
export class KnowledgeModule {}
