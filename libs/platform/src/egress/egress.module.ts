import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { Global, Module } from '@nestjs/common';
import { EgressClient } from './egress-client.js';
import { DELIVERY_CONCURRENCY, type EgressConfig, egressConfig } from './egress.config.js';

@Global()
@Module({
  providers: [
    {
      provide: EgressClient,
      inject: [egressConfig.KEY, workerConfig.KEY],
      // The limit is the sum of the limits for runs and for event deliveries, because a worker may call the same host
      // for both at the same time.
      useFactory: ({ egressAllow }: EgressConfig, { workerConcurrency }: WorkerConfig) =>
        new EgressClient({ allow: egressAllow, concurrency: workerConcurrency + DELIVERY_CONCURRENCY }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule {}

export const MODEL_EGRESS = Symbol('MODEL_EGRESS');

/**
 * It may connect to the addresses in MODEL_PROVIDERS even if they are private, for example to a model on the same
 * machine. This exception applies to no other client.
 */
export const MODEL_EGRESS_PROVIDER = {
  provide: MODEL_EGRESS,
  inject: [egressConfig.KEY, modelsConfig.KEY, workerConfig.KEY],
  useFactory: (
    { egressAllow }: EgressConfig,
    { modelProviders }: ModelsConfig,
    { workerConcurrency }: WorkerConfig,
  ): EgressClient => {
    const trustedOrigins = [...modelProviders.values()].flatMap(({ baseUrl, google }) =>
      [baseUrl, google?.tokenUri].flatMap((url) => (url ? [new URL(url).origin] : [])),
    );
    return new EgressClient({ allow: egressAllow, trustedOrigins, concurrency: workerConcurrency });
  },
};
