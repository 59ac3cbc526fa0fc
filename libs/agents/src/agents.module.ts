import { EventOutboxModule } from '@app/events';
import { Clock, systemClock } from '@app/kernel';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentDefinitionsModule } from './definitions/agent-definitions.module.js';
import { EvaluationEntity } from './evaluations/evaluation.entity.js';
import { EvaluationRepository } from './evaluations/evaluation.repository.js';
import { Evaluations } from './evaluations/evaluations.service.js';
import { AgentLifecycle } from './lifecycle/agent-lifecycle.service.js';
import { AgentVersionsService } from './lifecycle/agent-versions.service.js';
import { AgentsService } from './lifecycle/agents.service.js';
import { WebhookSecrets } from './lifecycle/webhook-secrets.service.js';
import { PromotionRecords } from './promotion/promotion-records.service.js';
import { PromotionRepository } from './promotion/promotion.repository.js';
import { Promotions } from './promotion/promotions.service.js';
import { AgentRecordsModule } from './records/agent-records.module.js';

@Module({
  imports: [
    AgentDefinitionsModule,
    AgentRecordsModule,
    EventOutboxModule,
    IdempotencyModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([EvaluationEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentLifecycle,
    AgentsService,
    AgentVersionsService,
    EvaluationRepository,
    Evaluations,
    PromotionRecords,
    PromotionRepository,
    Promotions,
    WebhookSecrets,
  ],
  exports: [
    AgentDefinitionsModule,
    AgentLifecycle,
    AgentsService,
    AgentVersionsService,
    Evaluations,
    Promotions,
    WebhookSecrets,
  ],
})
export class AgentsModule {}
