import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BasesModule } from '../bases/bases.module.js';
import { AccessGrantEntity } from './access-grant.entity.js';
import { AccessGrantRepository } from './access-grant.repository.js';
import { KnowledgeAccessService } from './knowledge-access.service.js';

/** Grants on knowledge bases. The app must provide `AgentDirectory`. */
@Module({
  imports: [TypeOrmModule.forFeature([AccessGrantEntity]), BasesModule, WorkspaceModule],
  providers: [AccessGrantRepository, KnowledgeAccessService],
  exports: [KnowledgeAccessService],
})
export class GrantsModule {}
