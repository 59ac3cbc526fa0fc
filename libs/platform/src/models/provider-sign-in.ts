import { createPrivateKey } from 'node:crypto';
import { isJsonObject } from '@app/kernel';
import type { EnvironmentReader, YamlNode } from '@app/platform/config';

export const MODEL_PROVIDER_TYPES = [
  'anthropic',
  'openai',
  'openai-compatible',
  'azure',
  'google',
  'mistral',
  'bedrock',
  'vertex',
] as const;
export type ModelProviderType = (typeof MODEL_PROVIDER_TYPES)[number];

export interface AwsSignIn {
  readonly region: string;
  readonly keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string | null } | null;
}

/** Requests contain a token that its `tokenUri` issued. */
export interface GoogleSignIn {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string | null;
  readonly tokenUri: string;
}

export interface SignIn {
  readonly apiKey: string | null;
  readonly aws: AwsSignIn | null;
  readonly google: GoogleSignIn | null;
  /** They are redacted from messages. */
  readonly secrets: readonly string[];
}

const KEY = ['api_key', 'api_key_env'];
const AWS_KEYS = ['access_key_id_env', 'secret_access_key_env', 'session_token_env'];
const COMMON = ['type', 'base_url', 'prices', 'models'];
const KEYS: Readonly<Record<ModelProviderType, readonly string[]>> = {
  openai: [...KEY, 'api', 'embeddings'],
  'openai-compatible': [...KEY, 'embeddings'],
  anthropic: KEY,
  azure: [...KEY, 'api'],
  google: KEY,
  mistral: KEY,
  bedrock: [...KEY, ...AWS_KEYS, 'region'],
  vertex: ['project', 'location', 'credentials_env'],
};
const NEEDS_KEY: ReadonlySet<ModelProviderType> = new Set(['azure', 'google', 'mistral']);
/** A part of a host name, such as `eu-central-1` or `global`. */
const HOST_PART = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PROJECT = /^[a-z0-9](?:[a-z0-9.:-]{0,126}[a-z0-9])?$/;

export function keysOf(type: ModelProviderType | undefined): readonly string[] {
  return [...new Set([...COMMON, ...(type ? KEYS[type] : Object.values(KEYS).flat())])];
}

export function readSignIn(node: YamlNode, type: ModelProviderType, reader: EnvironmentReader): SignIn {
  if (type === 'vertex') {
    const google = readServiceAccount(node.member('credentials_env'), reader);
    return { apiKey: null, aws: null, google, secrets: google ? [google.privateKey] : [] };
  }
  const [text, variable] = [node.member('api_key'), node.member('api_key_env')];
  if (!text.isAbsent && !variable.isAbsent) text.reject('no value beside api_key_env');
  const apiKey = node.textOrVariable('api_key');
  const hasKey = !text.isAbsent || !variable.isAbsent;
  if (!hasKey && NEEDS_KEY.has(type)) variable.reject('the name of a variable with the API key');
  if (apiKey === '' && (NEEDS_KEY.has(type) || type === 'bedrock')) text.reject('an API key');
  const aws = type === 'bedrock' ? readAws(node, reader, hasKey) : null;
  const keys = aws?.keys;
  const secrets = [apiKey, keys?.secretAccessKey, keys?.sessionToken].filter((each) => typeof each === 'string');
  return { apiKey, aws, google: null, secrets };
}

export function vendorAddress(node: YamlNode, type: ModelProviderType): string | null {
  if (type === 'bedrock') {
    const region = namePart(node.member('region'), HOST_PART, 'an AWS region such as eu-central-1');
    return region === '' ? null : `https://bedrock-runtime.${region}.amazonaws.com`;
  }
  if (type !== 'vertex') return null;
  const location = namePart(node.member('location'), HOST_PART, 'a location such as europe-west4 or global');
  if (location === '') return null;
  return `https://${location === 'global' ? '' : `${location}-`}aiplatform.googleapis.com`;
}

export function vertexPath(node: YamlNode): string {
  const project = namePart(node.member('project'), PROJECT, 'the id of a Google Cloud project');
  const location = node.member('location').value;
  return `/v1beta1/projects/${project}/locations/${typeof location === 'string' ? location : ''}/publishers/google`;
}

function readAws(node: YamlNode, reader: EnvironmentReader, hasKey: boolean): AwsSignIn {
  const { value } = node.member('region');
  const region = typeof value === 'string' ? value : '';
  const [id, secret, session] = AWS_KEYS.map((key) => node.member(key));
  const [present] = [id, secret, session].filter((each) => each && !each.isAbsent);
  if (hasKey) present?.reject('no value beside an API key');
  else if (!present) node.member('api_key_env').reject('an API key, or access_key_id_env and secret_access_key_env');
  if (hasKey || !present) return { region, keys: null };
  const accessKeyId = id ? variableOf(id, reader) : '';
  const secretAccessKey = secret ? variableOf(secret, reader) : '';
  const sessionToken = session && !session.isAbsent ? variableOf(session, reader) : null;
  return { region, keys: { accessKeyId, secretAccessKey, sessionToken } };
}

function readServiceAccount(node: YamlNode, reader: EnvironmentReader): GoogleSignIn | null {
  const text = variableOf(node, reader);
  if (text === '') return null;
  const account = serviceAccountOf(text);
  if (!account) node.reject('the name of a variable with the JSON of a service account');
  return account;
}

function serviceAccountOf(text: string): GoogleSignIn | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json)) return null;
    const { client_email: clientEmail, private_key: privateKey, private_key_id: id, token_uri: tokenUri } = json;
    if (typeof clientEmail !== 'string' || typeof privateKey !== 'string' || typeof tokenUri !== 'string') return null;
    if (!/^https?:$/.test(new URL(tokenUri).protocol)) return null;
    if (createPrivateKey(privateKey).asymmetricKeyType !== 'rsa') return null;
    return { clientEmail, privateKey, privateKeyId: typeof id === 'string' ? id : null, tokenUri };
  } catch {
    return null;
  }
}

function variableOf(node: YamlNode, reader: EnvironmentReader): string {
  const value = typeof node.value === 'string' ? reader.text(node.value) : undefined;
  if (value === undefined) node.reject('the name of a variable that is set');
  return value ?? '';
}

function namePart(node: YamlNode, form: RegExp, allowed: string): string {
  if (typeof node.value === 'string' && form.test(node.value)) return node.value;
  node.reject(allowed);
  return '';
}
