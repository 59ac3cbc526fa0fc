import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AgentsModule } from '@app/agents';
import { ConnectionsModule } from '@app/connections';
import { EvaluationModule } from '@app/evaluation';
import { DeliveryMetricsModule, EventsModule } from '@app/events';
import { FilesModule } from '@app/files';
import { InvariantsModule, MIGRATION_NAMES, PortsModule } from '@app/installation';
import { KnowledgeModule } from '@app/knowledge';
import { type Config, ConfigModule } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { databaseConfig, DatabaseModule, requireDatabaseUrl } from '@app/platform/database';
import { currentContext, type Logger, ObservabilityModule, type Tracing } from '@app/platform/observability';
import { QueueModule } from '@app/platform/queue';
import { RunsModule, QueueMetricsModule, WorkspaceResumptionModule } from '@app/runs';
import { EmergencyStopModule } from '@app/runs/emergency-stop';
import { TriggersModule } from '@app/triggers';
import {
  ApiKeysModule,
  McpOauthDataModule,
  PeopleModule,
  SecretsModule,
  SignInModule,
  WorkspaceModule,
} from '@app/workspace';

const OFFERED = [
  QueueModule,
  WorkspaceModule,
  PeopleModule,
  ApiKeysModule,
  SecretsModule,
  SignInModule,
  McpOauthDataModule,
  AgentsModule,
  ConnectionsModule,
  KnowledgeModule,
  RunsModule,
  TriggersModule,
  EvaluationModule,
  EmergencyStopModule,
  WorkspaceResumptionModule,
  EventsModule,
  FilesModule,
];

/**
 * Provides all libs of the API. It is global, so that modules of resources list only their own controllers and
 * providers.
 */
@Global()
@Module({ exports: OFFERED })
export class LibsModule {
  static of(config: Config, prepares: boolean, logger: Logger, tracing?: Tracing): DynamicModule {
    const database = config.get(databaseConfig);
    return {
      module: LibsModule,
      imports: [
        ConfigModule.of(config),
        ObservabilityModule.of(logger, tracing),
        CryptoModule,
        DatabaseModule.of(
          {
            url: requireDatabaseUrl(database),
            poolSize: database.databasePoolSize,
            prepares,
            applicationName: 'api',
            tenantOf: () => currentContext().workspaceId,
          },
          MIGRATION_NAMES,
        ),
        ...OFFERED,
        InvariantsModule,
        QueueMetricsModule,
        DeliveryMetricsModule,
        PortsModule,
      ],
    };
  }
}
