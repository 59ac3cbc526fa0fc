import { ConnectionsModule } from '@app/connections';
import { Clock, systemClock } from '@app/kernel';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentDefinitionsModule } from './definitions/agent-definitions.module.js';
import { EvaluationEntity } from './evaluations/evaluation.entity.js';
import { EvaluationRepository } from './evaluations/evaluation.repository.js';
import { EvaluationsService } from './evaluations/evaluations.service.js';
import { AgentLifecycleService } from './lifecycle/agent-lifecycle.service.js';
import { AgentVersionsService } from './lifecycle/agent-versions.service.js';
import { AgentsService } from './lifecycle/agents.service.js';
import { DraftAgentsService } from './lifecycle/draft-agents.service.js';
import { WebhookSecretsService } from './lifecycle/webhook-secrets.service.js';
import { PromotionRecordsService } from './promotion/promotion-records.service.js';
import { PromotionRepository } from './promotion/promotion.repository.js';
import { PromotionsService } from './promotion/promotions.service.js';
import { AgentRecordsModule } from './records/agent-records.module.js';

@Module({
  imports: [
    AgentDefinitionsModule,
    AgentRecordsModule,
    ConnectionsModule,
    IdempotencyModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([EvaluationEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentLifecycleService,
    AgentsService,
    AgentVersionsService,
    DraftAgentsService,
    EvaluationRepository,
    EvaluationsService,
    PromotionRecordsService,
    PromotionRepository,
    PromotionsService,
    WebhookSecretsService,
  ],
  exports: [
    AgentDefinitionsModule,
    AgentLifecycleService,
    AgentsService,
    AgentVersionsService,
    DraftAgentsService,
    EvaluationsService,
    PromotionsService,
    WebhookSecretsService,
  ],
})
export class AgentsModule {}
