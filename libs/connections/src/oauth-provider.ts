import type { JsonObject, JsonValue } from '@app/kernel';
import { jsonShape } from '@app/platform/json-shape';

export interface OauthClient {
  id: string;
  secret: string | null;
}

export type ProviderDescription = {
  title: string;
  authorize_url: string;
  token_url: string;
  /** The revocation endpoint (RFC 7009). If null, the endpoint from the metadata of the issuer is used, if any. */
  revocation_url: string | null;
  /** The expected `iss` of the callback (RFC 9207), if the provider sends it. */
  issuer: string | null;
  scopes: string[];
  authorize_parameters: Record<string, string>;
  client_authentication: 'basic' | 'post';
  /**
   * Describes how sources read documents from the API of the provider. libs/connectors defines and checks the format of
   * this description.
   */
  api: JsonObject | null;
};

export interface OauthProvider extends Omit<ProviderDescription, 'api'> {
  name: string;
  /** Null if the operator has not registered this installation with the provider. */
  client: OauthClient | null;
}

const TEXT = { type: 'string', maxLength: 2_000 };
const URL_TEXT = { ...TEXT, pattern: '^https?://' };
const nullable = (schema: { type: string; [key: string]: JsonValue }): JsonObject => ({
  ...schema,
  type: [schema.type, 'null'],
  default: null,
});

export const PROVIDER_SHAPE = jsonShape<ProviderDescription>({
  type: 'object',
  additionalProperties: false,
  required: ['title', 'authorize_url', 'token_url'],
  properties: {
    title: { ...TEXT, minLength: 1 },
    authorize_url: URL_TEXT,
    token_url: URL_TEXT,
    revocation_url: nullable(URL_TEXT),
    issuer: nullable(TEXT),
    scopes: { type: 'array', items: TEXT, default: [] },
    authorize_parameters: { type: 'object', additionalProperties: TEXT, default: {} },
    client_authentication: { enum: ['basic', 'post'], default: 'basic' },
    api: nullable({ type: 'object' }),
  },
});
