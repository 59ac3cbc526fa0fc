import { Config, ConfigModule } from '@app/platform/config';
import { databaseConfig, DatabaseModule, Notifications, Statements } from '@app/platform/database';
import { createLogger, ObservabilityModule } from '@app/platform/observability';
import { workerConfig } from '@app/platform/periodic';
import { QueueModule } from '@app/platform/queue';
import { redisConfig } from '@app/platform/redis';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EmergencyStopService } from '../emergency-stop/emergency-stop.service.js';
import { SuspendedRunsService } from '../reconciling/suspended-runs.service.js';
import { WorkspaceResumptionModule } from '../emergency-stop/workspace-resumption.module.js';
import { WorkspaceResumptionService } from '../emergency-stop/workspace-resumption.service.js';
import { WorkspaceStopsRepository } from '../emergency-stop/workspace-stops.repository.js';

/** `openStopScene` sets the imports of this module, because they need the connection string of the test database. */
@Module({ providers: [SuspendedRunsService] })
class StopSceneModule {}

/**
 * Services for tests of stopping and resuming workspaces. They use a real database and queue. No worker runs, so the
 * tests call the services that a worker would call.
 */
export interface StopScene {
  emergencyStop: EmergencyStopService;
  resumption: WorkspaceResumptionService;
  stops: WorkspaceStopsRepository;
  heldRuns: SuspendedRunsService;
  statements: Statements;
  notifications: Notifications;
  close(): Promise<void>;
}

export async function openStopScene(databaseUrl: string, { startBudgetMillis = 50 } = {}): Promise<StopScene> {
  const config = Config.load([databaseConfig, redisConfig, workerConfig], {
    DATABASE_URL: databaseUrl,
    // The start budget, which is the time limit for starting a call, is a third of the lease.
    WORKER_LEASE_MS: String(3 * startBudgetMillis),
  });
  const logger = createLogger({ level: 'error', format: 'json', name: 'test' });
  const imports = [
    ConfigModule.of(config),
    ObservabilityModule.of(logger),
    DatabaseModule.of({ url: databaseUrl, poolSize: 4, applicationName: 'test' }),
    QueueModule,
    WorkspaceResumptionModule,
  ];
  const context = await NestFactory.createApplicationContext(
    { module: StopSceneModule, imports },
    { logger: ['error'] },
  );
  return {
    emergencyStop: context.get(EmergencyStopService, { strict: false }),
    resumption: context.get(WorkspaceResumptionService, { strict: false }),
    stops: context.get(WorkspaceStopsRepository, { strict: false }),
    heldRuns: context.get(SuspendedRunsService, { strict: false }),
    statements: context.get(Statements, { strict: false }),
    notifications: context.get(Notifications, { strict: false }),
    close: () => context.close(),
  };
}
