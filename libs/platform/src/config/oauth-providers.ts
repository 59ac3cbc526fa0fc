import type { JsonObject } from '@app/kernel';
import { type FileNode, readConfig } from './config-file.js';
import type { EnvReader } from './env-reader.js';

/** A provider that sources are authorised at, as the operator registered this installation with it. */
export interface OauthProviderSettings {
  /** What the connector is called. */
  readonly name: string;
  readonly clientId: string;
  /** Null: a public client, which has no secret. */
  readonly clientSecret: string | null;
  /** What differs from the built-in description of that name, or the whole of it for another one. */
  readonly description: JsonObject;
}

const FILE = 'OAUTH_PROVIDERS';
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const OURS = ['client_id', 'client_secret', 'client_secret_env'];

/** The providers of OAUTH_PROVIDERS, which is YAML or the path of a file; none without it. */
export function readOauthProviders(read: EnvReader): ReadonlyMap<string, OauthProviderSettings> {
  const text = read.text(FILE);
  const root = text === undefined ? undefined : readConfig(read, FILE, text);
  if (!root) return new Map();
  root.allow(['providers']);
  return new Map(root.member('providers').entries().map(([name, node]) => [name, provider(name, node)])); // prettier-ignore
}

function provider(name: string, node: FileNode): OauthProviderSettings {
  if (!NAME.test(name)) node.wrong('called by 1 to 63 of a-z, 0-9 and "_", beginning with a letter');
  const clientId = node.member('client_id');
  if (clientId.isAbsent) clientId.wrong('the id that the provider gave this installation');
  const described = node.entries().filter(([key]) => !OURS.includes(key));
  return {
    name,
    clientId: String(clientId.value),
    clientSecret: node.writtenOrNamed('client_secret'),
    // YAML of the core schema has nothing that JSON has not.
    description: Object.fromEntries(described.map(([key, { value }]) => [key, value])) as JsonObject,
  };
}
