import { Clock, systemClock } from '@app/kernel';
import { IdempotencyModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentVersion } from './agent-version.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentVersionsService } from './agent-versions.service.js';
import { Agent } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentsService } from './agents.service.js';
import { CompiledVersions } from './compiled-versions.js';
import { NamedSecrets } from './named-secrets.service.js';

@Module({
  // The foreign key of an agent names the entity of the workspace, which that module registers.
  imports: [TypeOrmModule.forFeature([Agent, AgentVersion]), WorkspaceModule, IdempotencyModule, SecretsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentRepository,
    AgentVersionRepository,
    NamedSecrets,
    AgentsService,
    AgentVersionsService,
    CompiledVersions,
  ],
  exports: [AgentsService, AgentVersionsService, CompiledVersions],
})
export class AgentsModule {}
