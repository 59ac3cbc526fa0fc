import { systemClock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type DynamicModule, Module } from '@nestjs/common';
import { type MonthlyTable, PartitionMaintenanceService } from './partition-maintenance.service.js';
import { Statements } from './statements.js';

/** Only workers import this module. */
@Module({})
export class PartitionMaintenanceModule {
  static of(tables: readonly MonthlyTable[]): DynamicModule {
    return {
      module: PartitionMaintenanceModule,
      providers: [
        {
          provide: PartitionMaintenanceService,
          inject: [Statements, LOGGER],
          useFactory: (statements: Statements, logger: Logger) =>
            new PartitionMaintenanceService(statements, systemClock, logger, tables),
        },
      ],
      exports: [PartitionMaintenanceService],
    };
  }
}
