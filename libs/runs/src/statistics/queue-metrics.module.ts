import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { QueueMetricsService } from './queue-metrics.service.js';

/** For the app that is scraped: what waits, and how many there are to take it. */
@Module({ providers: [{ provide: Clock, useValue: systemClock }, QueueMetricsService] })
export class QueueMetricsModule {}
