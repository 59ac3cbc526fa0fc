import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { QueueMetricsService } from './queue-metrics.service.js';

@Module({ providers: [{ provide: Clock, useValue: systemClock }, QueueMetricsService] })
export class QueueMetricsModule {}
