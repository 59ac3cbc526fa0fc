import { WorkspaceModule } from '@app/workspace';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessGrant } from './access/access-grant.entity.js';
import { AccessGrantRepository } from './access/access-grant.repository.js';
import { AgentDirectory } from './access/agent-directory.js';
import { KnowledgeAccess } from './access/knowledge-access.service.js';
import { KnowledgeBase } from './bases/knowledge-base.entity.js';
import { KnowledgeBaseRepository } from './bases/knowledge-base.repository.js';
import { KnowledgeBases } from './bases/knowledge-bases.service.js';
import { DOCUMENT_ENTITIES } from './documents/document-entities.module.js';
import { DocumentIndex } from './documents/document-index.service.js';
import { DocumentMarks } from './documents/document-marks.repository.js';
import { DocumentWrites } from './documents/document-writes.repository.js';
import { DocumentRepository } from './documents/document.repository.js';
import { KnowledgeDocuments } from './documents/knowledge-documents.service.js';
import { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
import { SOURCE_ENTITIES } from './sources/source-entities.module.js';

/** Who knows the agents: a provider that `module` exports. */
export interface KnowsAgents {
  module: Type;
  directory: Type<AgentDirectory>;
}

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
        agents,
      ],
      providers: [
        { provide: AgentDirectory, useExisting: directory },
        AccessGrantRepository,
        DocumentIndex,
        DocumentMarks,
        DocumentRepository,
        DocumentWrites,
        KnowledgeAccess,
        KnowledgeBaseRepository,
        KnowledgeBases,
        KnowledgeDocuments,
      ],
      exports: [DocumentIndex, KnowledgeAccess, KnowledgeBases, KnowledgeDocuments, KnowledgeSearchModule],
    };
  }
}
