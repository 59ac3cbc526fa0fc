import { DocumentPurgeModule, SyncWorkerModule } from '@app/knowledge';
import { EnvModule, type ServiceEnv } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { type Logger, ObservabilityModule, type Tracing } from '@app/platform/observability';
import { QueueModule } from '@app/platform/queue';
import { MailboxWatchingModule, SchedulesModule } from '@app/triggers';
import { RetentionModule, RunReconcilingModule } from '@app/runs';
import { EvaluationModule } from '@app/evaluation';
import { PortsModule } from '@app/installation';
import { EventDeliveryModule } from '@app/events';
import { type DynamicModule, Module } from '@nestjs/common';
import { Processors } from './processors/processors.js';

/** The whole composition of a worker process. */
@Module({})
export class WorkerModule {
  static of(env: ServiceEnv, logger: Logger, tracing: Tracing): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        EnvModule.of(env),
        ObservabilityModule.of(logger, tracing),
        DatabaseModule.of({
          url: env.databaseUrl,
          poolSize: env.databasePoolSize,
          prepares: env.databasePrepares,
          applicationName: 'aas-worker',
        }),
        CryptoModule,
        QueueModule,
        DocumentPurgeModule,
        RunReconcilingModule,
        EvaluationModule,
        PortsModule,
        MailboxWatchingModule,
        SchedulesModule,
        RetentionModule,
        EventDeliveryModule,
        SyncWorkerModule,
      ],
      providers: [Processors],
    };
  }
}
