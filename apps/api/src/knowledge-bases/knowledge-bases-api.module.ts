import { Module } from '@nestjs/common';
import { ForeignNamesService } from '@app/agents';
import { KnowledgeBasesService } from '@app/knowledge';
import { AccessController } from './access.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';

@Module({ controllers: [KnowledgeBasesController, AccessController] })
export class KnowledgeBasesApiModule {
  /**
   * Connects the agents lib and the knowledge lib, which do not import each other. The agents lib can then report
   * unknown knowledge bases in definitions.
   */
  constructor(names: ForeignNamesService, bases: KnowledgeBasesService) {
    names.lookUpWith('knowledge', (workspaceId, asked) => bases.unknownAmong(workspaceId, asked));
  }
}
