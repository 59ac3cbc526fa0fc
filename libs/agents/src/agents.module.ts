import { Clock, systemClock } from '@app/kernel';
import { EventOutboxModule } from '@app/events';
import { EgressModule } from '@app/platform/egress';
import { McpModule } from '@app/platform/mcp';
import { IdempotencyModule, PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentLifecycle } from './agent-lifecycle.service.js';
import { AgentPromotion } from './agent-promotion.entity.js';
import { AgentVersion } from './agent-version.entity.js';
import { AgentVersionTool } from './agent-version-tool.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentVersionsService } from './agent-versions.service.js';
import { Agent } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentsService } from './agents.service.js';
import { CalledAgents } from './called-agents.service.js';
import { CompiledVersions } from './compiled-versions.js';
import { Evaluation } from './evaluation.entity.js';
import { Evaluations } from './evaluations.service.js';
import { EvaluationRepository } from './evaluation.repository.js';
import { PromotionRecords } from './promotion-records.service.js';
import { PromotionRepository } from './promotion.repository.js';
import { Promotions } from './promotions.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { DefinitionReader } from './definition-reader.service.js';
import { DefinitionReferencesService } from './definition-references.service.js';
import { DefinitionValidation } from './definition-validation.service.js';
import { KnowledgeDirectory } from './knowledge-directory.service.js';
import { LateDescriptions } from './late-descriptions.service.js';
import { NamedGroups } from './named-groups.service.js';
import { NamedSecrets } from './named-secrets.service.js';
import { ToolDescriber } from './tool-describer.service.js';

@Module({
  // The foreign key of an agent names the entity of the workspace, which that module registers.
  imports: [
    TypeOrmModule.forFeature([Agent, AgentPromotion, AgentVersion, AgentVersionTool, Evaluation]),
    EventOutboxModule,
    WorkspaceModule,
    PeopleModule,
    IdempotencyModule,
    SecretsModule,
    EgressModule,
    McpModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentRepository,
    AgentVersionRepository,
    CalledAgents,
    NamedGroups,
    NamedSecrets,
    AgentsService,
    AgentVersionsService,
    CompiledVersions,
    AgentLifecycle,
    DefinitionReader,
    DefinitionReferencesService,
    DefinitionValidation,
    EvaluationRepository,
    KnowledgeDirectory,
    LateDescriptions,
    Evaluations,
    PromotionRepository,
    PromotionRecords,
    Promotions,
    ToolDescriber,
    WebhookSecrets,
  ],
  exports: [
    AgentsService,
    AgentVersionsService,
    AgentLifecycle,
    CompiledVersions,
    DefinitionValidation,
    Evaluations,
    KnowledgeDirectory,
    LateDescriptions,
    Promotions,
    WebhookSecrets,
  ],
})
export class AgentsModule {}
