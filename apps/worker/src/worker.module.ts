import { KnowledgeWorkerModule } from '@app/knowledge';
import { type Config, ConfigModule } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { databaseConfig, DatabaseModule, PartitionMaintenanceModule, requireDatabaseUrl } from '@app/platform/database';
import { type Logger, ObservabilityModule, type Tracing } from '@app/platform/observability';
import { QueueModule } from '@app/platform/queue';
import { TriggerWorkerModule } from '@app/triggers';
import { RunWorkerModule } from '@app/runs';
import { EvaluationModule } from '@app/evaluation';
import { monthlyTables, PortsModule } from '@app/installation';
import { EventDeliveryModule } from '@app/events';
import { FilesModule } from '@app/files';
import { type DynamicModule, Module } from '@nestjs/common';

@Module({})
export class WorkerModule {
  static of(config: Config, prepares: boolean, logger: Logger, tracing: Tracing): DynamicModule {
    const database = config.get(databaseConfig);
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.of(config),
        ObservabilityModule.of(logger, tracing),
        DatabaseModule.of({
          url: requireDatabaseUrl(database),
          poolSize: database.databasePoolSize,
          prepares,
          applicationName: 'aas-worker',
        }),
        CryptoModule,
        QueueModule,
        EvaluationModule,
        PortsModule,
        TriggerWorkerModule,
        RunWorkerModule,
        PartitionMaintenanceModule.of(monthlyTables(config)),
        EventDeliveryModule,
        FilesModule,
        KnowledgeWorkerModule,
      ],
    };
  }
}
