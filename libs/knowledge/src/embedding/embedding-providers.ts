import { closest } from '@app/kernel';
import type { ModelsConfig } from '@app/platform/models';
import { invalidRequest } from '@app/platform/json-shape';

type Providers = Pick<ModelsConfig, 'modelProviders'>;

/** Returns the names of the providers with an embeddings endpoint. Anthropic has none. */
export function embeddingProviders({ modelProviders }: Providers): string[] {
  return [...modelProviders.values()].filter(({ type }) => type !== 'anthropic').map(({ name }) => name);
}

/** @throws DomainError `invalid_request` if the installation has no embedding provider with this name */
export function assertEmbeds(config: Providers, provider: string): void {
  const known = embeddingProviders(config);
  if (known.includes(provider)) return;
  const near = closest(provider, known);
  const offered = known.length === 0 ? 'none, see MODEL_PROVIDERS' : known.join(', ');
  const detail = `This installation has no provider ${JSON.stringify(provider)} that can embed texts. Available providers: ${offered}.`;
  const suggestion = near === undefined ? {} : { suggestion: `Did you mean \`${near}\`?` };
  throw invalidRequest([{ pointer: '/settings/embedding/provider', detail, ...suggestion }]);
}
