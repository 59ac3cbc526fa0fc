import { Module } from '@nestjs/common';
import { KnowledgeDirectory } from '@app/agents';
import { KnowledgeBasesService } from '@app/knowledge';
import { AccessController } from './access.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';

@Module({ controllers: [KnowledgeBasesController, AccessController] })
export class KnowledgeBasesApiModule {
  /** Lets agents ask whether the knowledge bases that their definitions name exist: neither lib knows the other. */
  constructor(directory: KnowledgeDirectory, bases: KnowledgeBasesService) {
    directory.askedOf((workspaceId, names) => bases.unknownAmong(workspaceId, names));
  }
}
