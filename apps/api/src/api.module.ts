import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AgentsModule, AgentsService } from '@app/agents';
import type { Clock } from '@app/kernel';
import { KnowledgeModule } from '@app/knowledge';
import { EnvModule, type ServiceEnv } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { currentContext, type Logger, ObservabilityModule, type Tracing } from '@app/platform/observability';
import { QueueModule } from '@app/platform/queue';
import { InvariantsModule, PortsModule } from '@app/installation';
import { QueueMetricsModule, RunsModule, WorkspaceResumptionModule } from '@app/runs';
import { EvaluationModule } from '@app/evaluation';
import { TriggersModule } from '@app/triggers';
import { EmergencyStopModule } from '@app/runs/emergency-stop';
import { DeliveryMetricsModule, EventsModule } from '@app/events';
import { ApiKeysModule, PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { AgentChanges } from './agents/agent-changes.js';
import { AgentVersionsController } from './agents/agent-versions.controller.js';
import { AgentsController } from './agents/agents.controller.js';
import { DefinitionWarmUp } from './agents/definition-warm-up.js';
import { DefinitionsController } from './agents/definitions.controller.js';
import { EvaluationsController } from './agents/evaluations.controller.js';
import { KnowledgeLookup } from './agents/knowledge-lookup.js';
import { VersionEvaluationsController } from './agents/version-evaluations.controller.js';
import { PromotionsController } from './agents/promotions.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { RunApprovalsController } from './approvals/run-approvals.controller.js';
import { HealthController } from './health/health.controller.js';
import { MainThreadHealth, ProcessHealth } from './health/process-health.js';
import { ReadinessController } from './health/readiness.controller.js';
import { Readiness } from './health/readiness.js';
import { GivenNames } from './http/given-names.service.js';
import { HttpModule } from './http/http.module.js';
import { RefusalExplanations } from './http/refusal-explanations.js';
import { ProblemDetailsFilter } from './http/problem-details.filter.js';
import { AccessController } from './knowledge/access.controller.js';
import { BaseSyncsController } from './knowledge/base-syncs.controller.js';
import { DocumentsController } from './knowledge/documents.controller.js';
import { KnowledgeBasesController } from './knowledge/knowledge-bases.controller.js';
import { SearchController } from './knowledge/search.controller.js';
import { PushedDocumentsController } from './knowledge/pushed-documents.controller.js';
import { OauthController } from './knowledge/oauth.controller.js';
import { SourcesController } from './knowledge/sources.controller.js';
import { SyncsController } from './knowledge/syncs.controller.js';
import { SmtpListener } from './mail/smtp-listener.service.js';
import { GroupsController } from './members/groups.controller.js';
import { MembersController } from './members/members.controller.js';
import { ApiDescription } from './openapi/api-description.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { AgentRunsController } from './runs/agent-runs.controller.js';
import { LiveView } from './runs/live-view.service.js';
import { RunEventsController } from './runs/run-events.controller.js';
import { RunReader } from './runs/run-reader.service.js';
import { RunReplaysController } from './runs/run-replays.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { TriggersController } from './triggers/triggers.controller.js';
import { WebhookCalls } from './triggers/webhook-calls.service.js';
import { WebhooksController } from './triggers/webhooks.controller.js';
import { EventsController } from './webhooks/events.controller.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookSubscriptions } from './webhooks/webhook-subscriptions.service.js';
import { UsageController } from './usage/usage.controller.js';
import { AuditEventsController } from './workspace/audit-events.controller.js';
import { EmergencyStopController } from './workspace/emergency-stop.controller.js';
import { WorkspaceController } from './workspace/workspace.controller.js';

export interface ApiDependencies {
  env: ServiceEnv;
  logger: Logger;
  clock: Clock;
  /** Default: traces are not sent. */
  tracing?: Tracing;
}

/** The api: what it is made of, and every controller. */
@Module({
  controllers: [
    AgentsController,
    AgentVersionsController,
    PromotionsController,
    VersionEvaluationsController,
    EvaluationsController,
    DefinitionsController,
    TriggersController,
    WebhooksController,
    AgentRunsController,
    RunsController,
    RunEventsController,
    RunReplaysController,
    RunApprovalsController,
    ApprovalsController,
    KnowledgeBasesController,
    AccessController,
    DocumentsController,
    SearchController,
    SourcesController,
    OauthController,
    SyncsController,
    BaseSyncsController,
    PushedDocumentsController,
    MembersController,
    GroupsController,
    ApiKeysController,
    SecretsController,
    WorkspaceController,
    UsageController,
    EmergencyStopController,
    AuditEventsController,
    EventsController,
    WebhookEndpointsController,
    WebhookDeliveriesController,
    HealthController,
    ReadinessController,
    OpenApiController,
  ],
  providers: [
    { provide: RefusalExplanations, useClass: GivenNames },
    { provide: APP_FILTER, useClass: ProblemDetailsFilter },
    AgentChanges,
    Readiness,
    { provide: ProcessHealth, useClass: MainThreadHealth },
    LiveView,
    RunReader,
    ApiDescription,
    DefinitionWarmUp,
    KnowledgeLookup,
    SmtpListener,
    WebhookCalls,
    WebhookSubscriptions,
  ],
})
export class ApiModule {
  static of({ env, logger, clock, tracing }: ApiDependencies): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        EnvModule.of(env),
        ObservabilityModule.of(logger, tracing),
        CryptoModule,
        DatabaseModule.of({
          url: env.databaseUrl,
          poolSize: env.databasePoolSize,
          prepares: env.databasePrepares,
          applicationName: 'api',
          tenantOf: () => currentContext().workspaceId,
        }),
        QueueModule,
        WorkspaceModule,
        PeopleModule,
        ApiKeysModule,
        SecretsModule,
        AgentsModule,
        KnowledgeModule.of({ module: AgentsModule, directory: AgentsService }),
        RunsModule,
        EvaluationModule,
        TriggersModule,
        PortsModule,
        EmergencyStopModule,
        WorkspaceResumptionModule,
        InvariantsModule,
        QueueMetricsModule,
        EventsModule,
        DeliveryMetricsModule,
        HttpModule.of(clock),
      ],
    };
  }
}
