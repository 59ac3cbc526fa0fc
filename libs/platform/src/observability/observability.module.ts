import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';

/** Injection token of the process's {@link Logger}: `@Inject(LOGGER) logger: Logger`. */
export const LOGGER = Symbol('LOGGER');

/** Makes the logger and the metrics injectable everywhere. Imported once, by each app's root module. */
@Module({})
export class ObservabilityModule {
  /** The logger comes from outside because the app needs it before Nest starts and after Nest has failed to. */
  static of(logger: Logger): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      providers: [{ provide: LOGGER, useValue: logger }, Metrics],
      exports: [LOGGER, Metrics],
    };
  }
}
