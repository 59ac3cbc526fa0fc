import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentPromotion } from './agent-promotion.entity.js';
import { AgentVersionTool } from './agent-version-tool.entity.js';
import { AgentVersion } from './agent-version.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { Agent } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';

/** Agents and their versions as rows. */
@Module({
  // The foreign key of an agent names the entity of the workspace, which that module registers.
  imports: [TypeOrmModule.forFeature([Agent, AgentPromotion, AgentVersion, AgentVersionTool]), WorkspaceModule],
  providers: [AgentRepository, AgentVersionRepository],
  exports: [AgentRepository, AgentVersionRepository, TypeOrmModule],
})
export class AgentRecordsModule {}
