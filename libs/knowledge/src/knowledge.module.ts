import { ConnectionsModule } from '@app/connections';
import { ConnectorsModule } from '@app/connectors';
import { IdempotencyModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessGrant } from './access/access-grant.entity.js';
import { AccessGrantRepository } from './access/access-grant.repository.js';
import { AgentDirectory } from './access/agent-directory.js';
import { KnowledgeAccess } from './access/knowledge-access.service.js';
import { SourceAuthorizations } from './sources/source-authorizations.service.js';
import { IndexProgressRepository } from './bases/index-progress.repository.js';
import { IndexProgresses } from './bases/index-progress.service.js';
import { KnowledgeBase } from './bases/knowledge-base.entity.js';
import { KnowledgeBaseRepository } from './bases/knowledge-base.repository.js';
import { KnowledgeBases } from './bases/knowledge-bases.service.js';
import { DOCUMENT_ENTITIES } from './documents/document-entities.module.js';
import { DocumentIndex } from './documents/document-index.service.js';
import { DocumentMarks } from './documents/document-marks.repository.js';
import { DocumentWrites } from './documents/document-writes.repository.js';
import { DocumentRepository } from './documents/document.repository.js';
import { PassageCutter } from './documents/passage-cutter.service.js';
import { KnowledgeDocuments } from './documents/knowledge-documents.service.js';
import { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
import { KnowledgeSourceRepository } from './sources/knowledge-source.repository.js';
import { KnowledgeSources } from './sources/knowledge-sources.service.js';
import { SOURCE_ENTITIES } from './sources/source-entities.module.js';
import { SourceRemoval } from './sources/source-removal.service.js';
import { SourceSettings } from './sources/source-settings.service.js';
import { UploadRepository } from './sources/upload.repository.js';
import { Uploads } from './sources/uploads.service.js';
import { KnowledgeSyncRepository } from './sync/knowledge-sync.repository.js';
import { SourceSyncs } from './sync/source-syncs.service.js';

/** Who knows the agents: a provider that `module` exports, which also says when cron fields fire (CronTimes). */
export interface KnowsAgents {
  module: Type;
  directory: Type<AgentDirectory>;
}

/** What sources bring. */
const DOCUMENTS = [DocumentIndex, DocumentMarks, DocumentRepository, DocumentWrites, KnowledgeDocuments, PassageCutter];

/** Knowledge bases and who may read them. */
@Module({})
export class KnowledgeModule {
  static of({ module: agents, directory }: KnowsAgents): DynamicModule {
    return {
      module: KnowledgeModule,
      imports: [
        TypeOrmModule.forFeature([KnowledgeBase, AccessGrant, ...SOURCE_ENTITIES, ...DOCUMENT_ENTITIES]),
        WorkspaceModule,
        KnowledgeSearchModule,
        SecretsModule,
        IdempotencyModule,
        ConnectionsModule,
        ConnectorsModule,
        agents,
      ],
      providers: [
        { provide: AgentDirectory, useExisting: directory },
        ...DOCUMENTS,
        AccessGrantRepository,
        IndexProgressRepository,
        IndexProgresses,
        KnowledgeAccess,
        KnowledgeBaseRepository,
        KnowledgeBases,
        KnowledgeSourceRepository,
        KnowledgeSources,
        KnowledgeSyncRepository,
        SourceAuthorizations,
        SourceRemoval,
        SourceSettings,
        SourceSyncs,
        UploadRepository,
        Uploads,
      ],
      exports: [
        agents,
        DocumentIndex,
        IndexProgresses,
        KnowledgeAccess,
        KnowledgeBases,
        KnowledgeDocuments,
        KnowledgeSearchModule,
        KnowledgeSources,
        SourceAuthorizations,
        SourceSyncs,
        Uploads,
        // For carrying syncs out.
        ConnectionsModule,
        ConnectorsModule,
        KnowledgeSourceRepository,
        UploadRepository,
      ],
    };
  }
}
