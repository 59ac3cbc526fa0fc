import { Module } from '@nestjs/common';
import { KnowledgeDirectoryService } from '@app/agents';
import { KnowledgeBasesService } from '@app/knowledge';
import { AccessController } from './access.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';

@Module({ controllers: [KnowledgeBasesController, AccessController] })
export class KnowledgeBasesApiModule {
  /**
   * Connects the agents lib to the knowledge lib, which do not import each other. Definitions are then checked for
   * unknown knowledge bases.
   */
  constructor(directory: KnowledgeDirectoryService, bases: KnowledgeBasesService) {
    directory.lookUpWith((workspaceId, names) => bases.unknownAmong(workspaceId, names));
  }
}
