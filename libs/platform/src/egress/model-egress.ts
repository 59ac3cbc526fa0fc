import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { EgressClient } from './egress-client.js';
import { type EgressConfig, egressConfig } from './egress.config.js';

/** Injection token of the {@link EgressClient} for model providers. */
export const MODEL_EGRESS = Symbol('MODEL_EGRESS');

export const MODEL_EGRESS_PROVIDER = {
  provide: MODEL_EGRESS,
  inject: [egressConfig.KEY, modelsConfig.KEY, workerConfig.KEY],
  useFactory: modelEgress,
};

/**
 * Opens a client of its own for models: it reaches the addresses in MODEL_PROVIDERS even if they are private, for example a model
 * on the same machine. No other client may reach them for that reason.
 */
function modelEgress(
  { egressAllow }: EgressConfig,
  { modelProviders }: ModelsConfig,
  { workerConcurrency }: WorkerConfig,
): EgressClient {
  const trustedOrigins = [...modelProviders.values()].flatMap(({ baseUrl }) =>
    baseUrl ? [new URL(baseUrl).origin] : [],
  );
  return new EgressClient({ allow: egressAllow, trustedOrigins, concurrency: workerConcurrency });
}
