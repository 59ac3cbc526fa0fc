import { type OauthProvider, OauthProvidersService, throwAbsent, wrongProvider } from '@app/connections';
import { type JsonObject, mergedJson } from '@app/kernel';
import { jsonShape, type JsonShape } from '@app/platform/json-shape';
import { Injectable } from '@nestjs/common';
import { BUILT_IN_APIS } from './built-in-apis.js';
import { API_SHAPE, type ApiDescription } from './oauth-description.js';

/** A provider whose documents a source can read. */
export interface SourceProvider extends OauthProvider {
  api: ApiDescription;
  shape: JsonShape<JsonObject>;
  schema: JsonObject;
}

/** All other providers can be used only for connections. */
@Injectable()
export class SourceProvidersService {
  private readonly byName: ReadonlyMap<string, SourceProvider>;

  /** @throws ConfigurationError if the description of an API is invalid, with a line for each of its mistakes */
  constructor(providers: OauthProvidersService) {
    this.byName = new Map(
      providers.names.flatMap((name): [string, SourceProvider][] => {
        const provider = providers.find(name);
        const builtIn = BUILT_IN_APIS[name];
        if (!provider || (!builtIn && provider.api === null)) return [];
        const api = mergedJson(builtIn ?? {}, provider.api ?? {});
        return [[name, { ...provider, ...described(name, api) }]];
      }),
    );
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  find(name: string): SourceProvider | undefined {
    return this.byName.get(name);
  }

  /** @throws DomainError `unavailable` if no source can use a provider with this name */
  get(name: string): SourceProvider {
    return this.find(name) ?? throwAbsent(name);
  }
}

function described(name: string, description: JsonObject): Pick<SourceProvider, 'api' | 'schema' | 'shape'> {
  try {
    const api = API_SHAPE.read(description, '/api');
    const { pattern, field } = api.scope;
    for (const each of [pattern, ...conditionsOf(api)]) new RegExp(each);
    const schema = scopeSchema(field, pattern);
    return { api, schema, shape: jsonShape<JsonObject>(schema) };
  } catch (error) {
    throw wrongProvider(name, error);
  }
}

function conditionsOf(api: ApiDescription): string[] {
  return [...api.contents.map(({ when }) => when.matches), ...(api.folder ? [api.folder.when.matches] : [])];
}

function scopeSchema(field: string, pattern: string): JsonObject {
  const entry = { type: 'string', maxLength: 300, pattern };
  const name = field.replaceAll('_', ' ');
  const properties = {
    [field]: {
      type: 'array',
      maxItems: 1_000,
      uniqueItems: true,
      default: [],
      items: entry,
      title: name.charAt(0).toUpperCase() + name.slice(1),
      description: 'Choose them from a list after you have granted the permission.',
    },
  };
  return { type: 'object', additionalProperties: false, properties };
}
