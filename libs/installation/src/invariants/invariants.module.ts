import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { InvariantMetricsService } from './invariant-metrics.service.js';

@Module({ providers: [{ provide: Clock, useValue: systemClock }, InvariantMetricsService] })
export class InvariantsModule {}
