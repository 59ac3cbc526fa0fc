import { Module } from '@nestjs/common';
import { KnowledgeDirectoryService } from '@app/agents';
import { KnowledgeBasesService } from '@app/knowledge';
import { AccessController } from './access.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';

@Module({ controllers: [KnowledgeBasesController, AccessController] })
export class KnowledgeBasesApiModule {
  /**
   * The agents lib and the knowledge lib do not import each other. This connects them, so that unknown knowledge bases
   * in definitions are reported.
   */
  constructor(directory: KnowledgeDirectoryService, bases: KnowledgeBasesService) {
    directory.lookUpWith((workspaceId, names) => bases.unknownAmong(workspaceId, names));
  }
}
