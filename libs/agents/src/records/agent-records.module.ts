import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentPromotionEntity } from './agent-promotion.entity.js';
import { AgentVersionEntity } from './agent-version.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentEntity } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';

@Module({
  // AgentEntity has a foreign key to WorkspaceEntity, which WorkspaceModule registers.
  imports: [TypeOrmModule.forFeature([AgentEntity, AgentPromotionEntity, AgentVersionEntity]), WorkspaceModule],
  providers: [AgentRepository, AgentVersionRepository],
  exports: [AgentRepository, AgentVersionRepository, TypeOrmModule],
})
export class AgentRecordsModule {}
