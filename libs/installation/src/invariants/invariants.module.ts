import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { InvariantMetrics } from './invariant-metrics.service.js';

/** Exports the invariants as metrics of the app that is scraped. */
@Module({ providers: [{ provide: Clock, useValue: systemClock }, InvariantMetrics] })
export class InvariantsModule {}
