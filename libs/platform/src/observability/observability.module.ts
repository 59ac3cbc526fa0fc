import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { NO_TRACING, Tracing } from './tracing.js';

/** Injection token of the process's {@link Logger}: `@Inject(LOGGER) logger: Logger`. */
export const LOGGER = Symbol('LOGGER');

/** Makes the logger, the metrics and the traces injectable everywhere. Imported once, by each app's root module. */
@Module({})
export class ObservabilityModule {
  /** Both come from outside: the app needs the logger before Nest starts and after Nest has failed to, and traces load late. */
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
