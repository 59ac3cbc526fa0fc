import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Clock } from '@app/kernel';
import { apiConfig } from '@app/installation/settings';
import type { Config } from '@app/platform/config';
import type { Logger, Tracing } from '@app/platform/observability';
import { addressConfig } from '@app/platform/startup';
import { AuthModule } from './auth/auth.module.js';
import { DefinitionsApiModule } from './definitions/definitions-api.module.js';
import { HttpModule } from './http/http.module.js';
import { ProblemDetailsFilter, RefusalExplanations } from './http/problem-details.filter.js';
import { KnowledgeBasesApiModule } from './knowledge-bases/knowledge-bases-api.module.js';
import { LibsModule } from './libs.module.js';
import { MailModule } from './mail/mail.module.js';
import { McpServerModule } from './mcp/mcp-server.module.js';
import { McpOauthApiModule } from './mcp-oauth/mcp-oauth-api.module.js';
import { assertOauthAddress } from './mcp-oauth/mcp-resources.js';
import { ResourceNamesModule } from './http/resource-names.module.js';
import { ResourceNamesService } from './http/resource-names.service.js';
import { ResourcesModule } from './resources.module.js';
import { WebhookTriggersApiModule } from './webhook-triggers/webhook-triggers-api.module.js';

export interface ApiDependencies {
  config: Config;
  /**
   * Whether the database connections may use prepared statements. Set to false if a connection pooler does not support
   * them. Default: true.
   */
  prepares?: boolean;
  logger: Logger;
  clock: Clock;
  /** If absent, the API sends no traces. */
  tracing?: Tracing;
}

@Module({
  providers: [
    { provide: RefusalExplanations, useExisting: ResourceNamesService },
    { provide: APP_FILTER, useClass: ProblemDetailsFilter },
  ],
})
export class ApiModule {
  static of({ config, prepares = true, logger, clock, tracing }: ApiDependencies): DynamicModule {
    assertOauthAddress(config.get(apiConfig), config.get(addressConfig));
    const libs = LibsModule.of(config, prepares, logger, tracing);
    const resources = [
      ResourcesModule,
      WebhookTriggersApiModule,
      AuthModule,
      DefinitionsApiModule,
      McpOauthApiModule,
      KnowledgeBasesApiModule,
      ...(config.get(apiConfig).mcpServer === 'on' ? [McpServerModule] : []),
    ];
    return { module: ApiModule, imports: [libs, HttpModule.of(clock), ResourceNamesModule, ...resources, MailModule] };
  }
}
