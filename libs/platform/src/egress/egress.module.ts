import { Global, Module } from '@nestjs/common';
import { ENV, type Env } from '@app/platform/config';
import { EgressClient } from './egress-client.js';

/** Provides the process's one {@link EgressClient}. Imported once, by each app's root module. */
@Global()
@Module({
  providers: [
    {
      provide: EgressClient,
      inject: [ENV],
      // A worker carries out runs and delivers webhooks, possibly to one host.
      useFactory: ({ egressAllow, workerConcurrency, webhookConcurrency }: Env) =>
        new EgressClient({ allow: egressAllow, concurrency: workerConcurrency + webhookConcurrency }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule {}
