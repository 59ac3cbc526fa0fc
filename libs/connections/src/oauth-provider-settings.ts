import type { JsonObject } from '@app/kernel';
import { type EnvironmentReader, readYamlSetting, type YamlNode } from '@app/platform/config';

export interface OauthProviderSettings {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly description: JsonObject;
}

const VARIABLE = 'OAUTH_PROVIDERS';
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const CLIENT_KEYS = ['client_id', 'client_secret', 'client_secret_env'];

/** Reads OAUTH_PROVIDERS, whose value is YAML or the path of a YAML file. */
export function readOauthProviders(
  text: string | undefined,
  reader: EnvironmentReader,
): ReadonlyMap<string, OauthProviderSettings> {
  const root = text === undefined ? undefined : readYamlSetting(reader, VARIABLE, text);
  if (!root) return new Map();
  root.allowKeys(['providers']);
  const entries = root.member('providers').entries();
  return new Map(entries.map(([name, node]) => [name, provider(name, node)]));
}

function provider(name: string, node: YamlNode): OauthProviderSettings {
  if (!NAME.test(name))
    node.reject('a provider whose name has 1 to 63 characters of a-z, 0-9 and "_" and begins with a letter');
  const clientId = node.member('client_id');
  if (clientId.isAbsent) clientId.reject('the id that the provider gave this installation');
  const description = node.entries().filter(([key]) => !CLIENT_KEYS.includes(key));
  return {
    name,
    clientId: String(clientId.value),
    clientSecret: node.textOrVariable('client_secret'),
    description: Object.fromEntries(description.map(([key, { value }]) => [key, value])) as JsonObject,
  };
}
