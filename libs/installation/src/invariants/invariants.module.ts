import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { InvariantMetrics } from './invariant-metrics.service.js';

@Module({ providers: [{ provide: Clock, useValue: systemClock }, InvariantMetrics] })
export class InvariantsModule {}
