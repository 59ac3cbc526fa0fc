import { Module } from '@nestjs/common';
import { Metrics } from '@app/platform/observability';
import { HealthController } from './health.controller.js';
import { MainThreadHealth, ProcessHealth } from './process-health.js';
import { ReadinessController } from './readiness.controller.js';
import { ReadinessService } from './readiness.service.js';

@Module({
  controllers: [HealthController, ReadinessController],
  providers: [
    ReadinessService,
    { provide: ProcessHealth, inject: [Metrics], useFactory: (metrics: Metrics) => new MainThreadHealth(metrics) },
  ],
})
export class HealthApiModule {}
