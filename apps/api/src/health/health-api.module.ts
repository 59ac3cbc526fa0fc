import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { MainThreadHealth, ProcessHealth } from './process-health.js';
import { ReadinessController } from './readiness.controller.js';
import { Readiness } from './readiness.js';

@Module({
  controllers: [HealthController, ReadinessController],
  providers: [Readiness, { provide: ProcessHealth, useClass: MainThreadHealth }],
})
export class HealthApiModule {}
