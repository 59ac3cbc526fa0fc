import { ConnectionsModule } from '@app/connections';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { KnowledgeBaseRepository } from './knowledge-base.repository.js';
import { KnowledgeBasesService } from './knowledge-bases.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([KnowledgeBaseEntity]), ConnectionsModule, IdempotencyModule, WorkspaceModule],
  providers: [KnowledgeBaseRepository, KnowledgeBasesService],
  exports: [KnowledgeBaseRepository, KnowledgeBasesService],
})
export class BasesModule {}
