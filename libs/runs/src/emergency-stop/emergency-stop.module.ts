import { Clock, systemClock } from '@app/kernel';
import { ReservedStatements } from '@app/platform/database';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { Module } from '@nestjs/common';
import { EmergencyStopService } from './emergency-stop.service.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** Stops workspaces. Only the API imports this module, because the module keeps reserved database connections open. */
@Module({
  providers: [
    { provide: Clock, useValue: systemClock },
    {
      provide: WorkspaceStopsRepository,
      inject: [ReservedStatements],
      useFactory: (reserve: ReservedStatements) => new WorkspaceStopsRepository(reserve),
    },
    {
      provide: EmergencyStopService,
      inject: [ReservedStatements, Clock, workerConfig.KEY, LOGGER, Metrics],
      useFactory: (reserve: ReservedStatements, clock: Clock, config: WorkerConfig, logger: Logger, metrics: Metrics) =>
        new EmergencyStopService(reserve, clock, config, logger, metrics),
    },
  ],
  exports: [EmergencyStopService, WorkspaceStopsRepository],
})
export class EmergencyStopModule {}
