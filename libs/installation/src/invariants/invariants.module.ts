import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { InvariantMetrics } from './invariant-metrics.service.js';

/** For the app that is scraped: what must always be true, as metrics. */
@Module({ providers: [{ provide: Clock, useValue: systemClock }, InvariantMetrics] })
export class InvariantsModule {}
