import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { NO_TRACING, Tracing } from './tracing.js';

export const LOGGER = Symbol('LOGGER');

@Module({})
export class ObservabilityModule {
  /**
   * The app creates the logger and the tracing itself. It needs them before Nest starts, and also if Nest fails to
   * start.
   */
  static of(logger: Logger, tracing: Tracing = NO_TRACING, metrics?: Metrics): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: Tracing, useValue: tracing },
        { provide: Metrics, useFactory: () => sentBy(tracing, metrics ?? new Metrics()) },
      ],
      exports: [LOGGER, Metrics, Tracing],
    };
  }
}

function sentBy(tracing: Tracing, metrics: Metrics): Metrics {
  tracing.exportMetrics(metrics);
  return metrics;
}
