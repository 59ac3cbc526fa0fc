import { DomainError, type JsonObject, mergedJson } from '@app/kernel';
import { ConfigurationError } from '@app/platform/config';
import { Inject, Injectable } from '@nestjs/common';
import { BUILT_IN_PROVIDERS } from './built-in-providers.js';
import { type OauthProvider, PROVIDER_SHAPE, type ProviderDescription } from './oauth-provider.js';
import { type OauthConfig, oauthConfig } from './oauth.config.js';

export type ConfiguredProvider = OauthProvider & Pick<ProviderDescription, 'api'>;

@Injectable()
export class OauthProvidersService {
  private readonly byName: ReadonlyMap<string, ConfiguredProvider>;

  /** @throws ConfigurationError if the description of a provider is invalid, with a line for each of its mistakes */
  constructor(@Inject(oauthConfig.KEY) { oauthProviders }: OauthConfig) {
    const names = new Set([...Object.keys(BUILT_IN_PROVIDERS), ...oauthProviders.keys()]);
    this.byName = new Map(
      [...names].map((name) => {
        const written = oauthProviders.get(name);
        const client = written ? { id: written.clientId, secret: written.clientSecret } : null;
        const description = mergedJson(BUILT_IN_PROVIDERS[name] ?? {}, written?.description ?? {});
        return [name, { ...readProvider(name, description), name, client }];
      }),
    );
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  find(name: string): ConfiguredProvider | undefined {
    return this.byName.get(name);
  }

  get(name: string): ConfiguredProvider {
    return this.find(name) ?? throwAbsent(name);
  }
}

/** @throws DomainError `unavailable`, because the operator has removed the provider */
export function throwAbsent(name: string): never {
  throw new DomainError('unavailable', `OAUTH_PROVIDERS no longer contains ${name}. Ask the operator to add it again.`);
}

function readProvider(name: string, description: JsonObject): ProviderDescription {
  try {
    return PROVIDER_SHAPE.read(description, '');
  } catch (error) {
    throw wrongProvider(name, error);
  }
}

export function wrongProvider(name: string, error: unknown): ConfigurationError {
  const places = error instanceof DomainError ? error.errors : [];
  const at = (pointer: string): string => `OAUTH_PROVIDERS: providers.${name}${pointer.replaceAll('/', '.')}`;
  const lines = places.map(({ pointer, detail }) => `${at(pointer)}: ${detail}`);
  return new ConfigurationError(lines.length > 0 ? lines : [`${at('')}: ${String(error)}`]);
}
