import { Global, Module } from '@nestjs/common';
import { ENV, type Env } from '@app/platform/config';
import { EgressClient } from './egress-client.js';

/** Provides the process's one {@link EgressClient}. Imported once, by each app's root module. */
@Global()
@Module({
  providers: [
    { provide: EgressClient, inject: [ENV], useFactory: (env: Env) => new EgressClient({ allow: env.egressAllow }) },
  ],
  exports: [EgressClient],
})
export class EgressModule {}
