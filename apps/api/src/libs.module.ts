import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AgentsModule } from '@app/agents';
import { EvaluationModule } from '@app/evaluation';
import { DeliveryMetricsModule, EventsModule } from '@app/events';
import { InvariantsModule, MIGRATION_NAMES, PortsModule } from '@app/installation';
import { KnowledgeModule } from '@app/knowledge';
import { EnvModule, type ServiceEnv } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { currentContext, type Logger, ObservabilityModule, type Tracing } from '@app/platform/observability';
import { QueueModule } from '@app/platform/queue';
import {
  ApprovalsModule,
  LiveViewModule,
  QueueMetricsModule,
  RunQueriesModule,
  RunReplaysModule,
  RunStartModule,
  RunStoreModule,
  WorkspaceResumptionModule,
} from '@app/runs';
import { EmergencyStopModule } from '@app/runs/emergency-stop';
import { TriggersModule } from '@app/triggers';
import { ApiKeysModule, PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';

/** The libs whose services the resources of the api call. */
const OFFERED = [
  QueueModule,
  WorkspaceModule,
  PeopleModule,
  ApiKeysModule,
  SecretsModule,
  AgentsModule,
  KnowledgeModule,
  ApprovalsModule,
  LiveViewModule,
  RunQueriesModule,
  RunReplaysModule,
  RunStartModule,
  RunStoreModule,
  TriggersModule,
  EvaluationModule,
  EmergencyStopModule,
  WorkspaceResumptionModule,
  EventsModule,
];

/** Every lib that the api consists of. It is global, so that the module of a resource lists its own controllers and providers only. */
@Global()
@Module({ exports: OFFERED })
export class LibsModule {
  static of(env: ServiceEnv, logger: Logger, tracing?: Tracing): DynamicModule {
    return {
      module: LibsModule,
      imports: [
        EnvModule.of(env),
        ObservabilityModule.of(logger, tracing),
        CryptoModule,
        DatabaseModule.of(
          {
            url: env.databaseUrl,
            poolSize: env.databasePoolSize,
            prepares: env.databasePrepares,
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
