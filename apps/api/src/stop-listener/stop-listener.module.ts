import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Clock } from '@app/kernel';
import { type Config, ConfigModule } from '@app/platform/config';
import { CryptoModule } from '@app/platform/crypto';
import { databaseConfig, DatabaseModule, requireDatabaseUrl } from '@app/platform/database';
import {
  currentContext,
  type Logger,
  type Metrics,
  ObservabilityModule,
  type Tracing,
} from '@app/platform/observability';
import { EmergencyStopModule } from '@app/runs/emergency-stop';
import { WorkspaceModule } from '@app/workspace';
import { EmergencyStopController } from '../emergency-stop/emergency-stop.controller.js';
import { HealthController } from '../health/health.controller.js';
import { ProcessHealth } from '../health/process-health.js';
import { HttpModule } from '../http/http.module.js';
import { NoExplanations, ProblemDetailsFilter, RefusalExplanations } from '../http/problem-details.filter.js';

export interface StopListenerDependencies {
  config: Config;
  prepares: boolean;
  logger: Logger;
  clock: Clock;
  tracing: Tracing;
  metrics: Metrics;
  health: ProcessHealth;
}

/**
 * Size of the connection pool that records rejected calls and the last use of API keys. The emergency stop itself uses
 * the reserved connections.
 */
const POOL_SIZE = 2;

/**
 * The part of the API that must respond while the event loop of the API is blocked. Its guards, limits and responses
 * are the same as those of the API.
 */
@Module({ controllers: [EmergencyStopController, HealthController] })
export class StopListenerModule {
  static of({ config, prepares, logger, clock, tracing, metrics, health }: StopListenerDependencies): DynamicModule {
    return {
      module: StopListenerModule,
      imports: [
        ConfigModule.of(config),
        ObservabilityModule.of(logger, tracing, metrics),
        CryptoModule,
        DatabaseModule.of({
          url: requireDatabaseUrl(config.get(databaseConfig)),
          poolSize: POOL_SIZE,
          prepares,
          applicationName: 'api stop listener',
          tenantOf: () => currentContext().workspaceId,
        }),
        WorkspaceModule,
        EmergencyStopModule,
        HttpModule.of(clock),
      ],
      providers: [
        { provide: ProcessHealth, useValue: health },
        { provide: RefusalExplanations, useClass: NoExplanations },
        { provide: APP_FILTER, useClass: ProblemDetailsFilter },
      ],
    };
  }
}
