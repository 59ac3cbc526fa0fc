import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Clock } from '@app/kernel';
import type { Config } from '@app/platform/config';
import type { Logger, Tracing } from '@app/platform/observability';
import { AgentVersionsApiModule } from './agent-versions/agent-versions-api.module.js';
import { AgentsApiModule } from './agents/agents-api.module.js';
import { ApiKeysApiModule } from './api-keys/api-keys-api.module.js';
import { ApprovalsApiModule } from './approvals/approvals-api.module.js';
import { AuditEventsApiModule } from './audit-events/audit-events-api.module.js';
import { DefinitionsApiModule } from './definitions/definitions-api.module.js';
import { DocumentsApiModule } from './documents/documents-api.module.js';
import { EmergencyStopApiModule } from './emergency-stop/emergency-stop-api.module.js';
import { EvaluationsApiModule } from './evaluations/evaluations-api.module.js';
import { EventsApiModule } from './events/events-api.module.js';
import { GroupsApiModule } from './groups/groups-api.module.js';
import { HealthApiModule } from './health/health-api.module.js';
import { GivenNamesService } from './http/given-names.service.js';
import { HttpModule } from './http/http.module.js';
import { ProblemDetailsFilter, RefusalExplanations } from './http/problem-details.filter.js';
import { KnowledgeBasesApiModule } from './knowledge-bases/knowledge-bases-api.module.js';
import { LibsModule } from './libs.module.js';
import { MailModule } from './mail/mail.module.js';
import { MembersApiModule } from './members/members-api.module.js';
import { OauthApiModule } from './oauth/oauth-api.module.js';
import { OpenApiModule } from './openapi/open-api.module.js';
import { RunsApiModule } from './runs/runs-api.module.js';
import { SecretsApiModule } from './secrets/secrets-api.module.js';
import { SourcesApiModule } from './sources/sources-api.module.js';
import { SyncsApiModule } from './syncs/syncs-api.module.js';
import { TriggersApiModule } from './triggers/triggers-api.module.js';
import { UsageApiModule } from './usage/usage-api.module.js';
import { WebhookDeliveriesApiModule } from './webhook-deliveries/webhook-deliveries-api.module.js';
import { WebhookEndpointsApiModule } from './webhook-endpoints/webhook-endpoints-api.module.js';
import { WebhookTriggersApiModule } from './webhook-triggers/webhook-triggers-api.module.js';
import { WorkspaceApiModule } from './workspace/workspace-api.module.js';

export interface ApiDependencies {
  config: Config;
  /** False where a pooler loses prepared statements. Default: true. */
  prepares?: boolean;
  logger: Logger;
  clock: Clock;
  /** Default: traces are not sent. */
  tracing?: Tracing;
}

/** One module for each resource. */
const RESOURCES = [
  AgentsApiModule,
  AgentVersionsApiModule,
  EvaluationsApiModule,
  DefinitionsApiModule,
  TriggersApiModule,
  WebhookTriggersApiModule,
  RunsApiModule,
  ApprovalsApiModule,
  KnowledgeBasesApiModule,
  DocumentsApiModule,
  SourcesApiModule,
  OauthApiModule,
  SyncsApiModule,
  MembersApiModule,
  GroupsApiModule,
  ApiKeysApiModule,
  SecretsApiModule,
  WorkspaceApiModule,
  UsageApiModule,
  EmergencyStopApiModule,
  AuditEventsApiModule,
  EventsApiModule,
  WebhookEndpointsApiModule,
  WebhookDeliveriesApiModule,
  HealthApiModule,
];

/** The api: its libs, what every route shares, and its resources. */
@Module({
  providers: [
    { provide: RefusalExplanations, useClass: GivenNamesService },
    { provide: APP_FILTER, useClass: ProblemDetailsFilter },
  ],
})
export class ApiModule {
  static of({ config, prepares = true, logger, clock, tracing }: ApiDependencies): DynamicModule {
    const libs = LibsModule.of(config, prepares, logger, tracing);
    return { module: ApiModule, imports: [libs, HttpModule.of(clock), ...RESOURCES, MailModule, OpenApiModule] };
  }
}
