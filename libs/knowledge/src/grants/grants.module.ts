import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BasesModule } from '../bases/bases.module.js';
import { AccessGrant } from './access-grant.entity.js';
import { AccessGrantRepository } from './access-grant.repository.js';
import { KnowledgeAccess } from './knowledge-access.service.js';

/** Who may read a base. The app binds `AgentDirectory`. */
@Module({
  imports: [TypeOrmModule.forFeature([AccessGrant]), BasesModule, WorkspaceModule],
  providers: [AccessGrantRepository, KnowledgeAccess],
  exports: [KnowledgeAccess],
})
export class GrantsModule {}
