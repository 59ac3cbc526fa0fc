import type { Env } from '@app/platform/config';
import { EgressClient } from './egress-client.js';

/** Injection token of the {@link EgressClient} for model providers. */
export const MODEL_EGRESS = Symbol('MODEL_EGRESS');

/**
 * A client of its own: the addresses in the operator's MODEL_PROVIDERS are reached wherever they are (a model on this very
 * machine is the usual case), and nothing else in the service may reach them because of that.
 */
export function modelEgress({ egressAllow, modelProviders, workerConcurrency }: Env): EgressClient {
  const trustedOrigins = [...modelProviders.values()].flatMap(({ baseUrl }) =>
    baseUrl ? [new URL(baseUrl).origin] : [],
  );
  return new EgressClient({ allow: egressAllow, trustedOrigins, concurrency: workerConcurrency });
}
