import { Global, Module } from '@nestjs/common';
import { DELIVERY_CONCURRENCY, type EgressConfig, egressConfig } from './egress.config.js';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { EgressClient } from './egress-client.js';

/** Provides the process's one {@link EgressClient}. Imported once, by each app's root module. */
@Global()
@Module({
  providers: [
    {
      provide: EgressClient,
      inject: [egressConfig.KEY, workerConfig.KEY],
      // A worker executes runs and delivers events, possibly to one host.
      useFactory: ({ egressAllow }: EgressConfig, { workerConcurrency }: WorkerConfig) =>
        new EgressClient({ allow: egressAllow, concurrency: workerConcurrency + DELIVERY_CONCURRENCY }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule {}
