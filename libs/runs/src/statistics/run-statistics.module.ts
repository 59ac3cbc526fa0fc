import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RunStatisticsService } from './run-statistics.service.js';
import { RunStatisticsWorker } from './run-statistics.worker.js';

@Module({
  providers: [{ provide: Clock, useValue: systemClock }, RunStatisticsService, RunStatisticsWorker],
  exports: [RunStatisticsService, RunStatisticsWorker],
})
export class RunStatisticsModule {}
