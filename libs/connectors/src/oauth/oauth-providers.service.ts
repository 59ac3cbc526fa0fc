import type { OauthProvider } from '@app/connections';
import { DomainError, type JsonObject, mergedJson } from '@app/kernel';
import { type OauthConfig, oauthConfig } from './oauth.config.js';
import { ConfigurationError } from '@app/platform/config';
import { Inject, Injectable } from '@nestjs/common';
import { jsonShape, type JsonShape } from '@app/platform/json-shape';
import { BUILT_IN_PROVIDERS } from './built-in-providers.js';
import { DESCRIPTION_SHAPE, type OauthDescription } from './oauth-description.js';

/** A provider with a description of its API. */
export interface SourceProvider extends OauthProvider, OauthDescription {
  /** The schema of the configuration of sources of this provider. */
  shape: JsonShape<JsonObject>;
  schema: JsonObject;
}

/** The providers of this installation: the built-in ones and those of the operator. */
@Injectable()
export class OauthProvidersService {
  private readonly byName: ReadonlyMap<string, SourceProvider>;

  /** @throws ConfigurationError with a line for each mistake in a description */
  constructor(@Inject(oauthConfig.KEY) { oauthProviders }: OauthConfig) {
    const names = new Set([...Object.keys(BUILT_IN_PROVIDERS), ...oauthProviders.keys()]);
    this.byName = new Map(
      [...names].map((name) => {
        const written = oauthProviders.get(name);
        const client = written ? { id: written.clientId, secret: written.clientSecret } : null;
        const description = mergedJson(BUILT_IN_PROVIDERS[name] ?? {}, written?.description ?? {});
        return [name, { ...described(name, description), name, client }];
      }),
    );
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  find(name: string): SourceProvider | undefined {
    return this.byName.get(name);
  }
}

function described(name: string, description: JsonObject): OauthDescription & Pick<SourceProvider, 'schema' | 'shape'> {
  try {
    const read = DESCRIPTION_SHAPE.read(description, '');
    const { pattern, field } = read.api.scope;
    for (const each of [pattern, ...conditionsOf(read)]) new RegExp(each);
    const schema = scopeSchema(field, pattern);
    return { ...read, schema, shape: jsonShape<JsonObject>(schema) };
  } catch (error) {
    const places = error instanceof DomainError ? error.errors : [];
    const at = (pointer: string): string => `OAUTH_PROVIDERS: providers.${name}${pointer.replaceAll('/', '.')}`;
    const lines = places.map(({ pointer, detail }) => `${at(pointer)}: ${detail}`);
    throw new ConfigurationError(lines.length > 0 ? lines : [`${at('')}: ${String(error)}`]);
  }
}

function conditionsOf({ api }: OauthDescription): string[] {
  return [...api.contents.map(({ when }) => when.matches), ...(api.folder ? [api.folder.when.matches] : [])];
}

/**
 * Schema of a source configuration. A source lists the scopes that it reads. If it lists none, it reads everything to
 * which it has access.
 */
function scopeSchema(field: string, pattern: string): JsonObject {
  const entry = { type: 'string', maxLength: 300, pattern };
  const properties = { [field]: { type: 'array', maxItems: 1_000, uniqueItems: true, default: [], items: entry } };
  return { type: 'object', additionalProperties: false, properties };
}
