import type { JsonObject } from '@app/kernel';
import { byValue, choice, computedUrl, dictionary, list, object, pattern, text } from './building-blocks.js';
import { type AUTH_TYPES, CLIENT_AUTHENTICATIONS } from '../model/compiled-tool.js';
import { secret } from './tool-descriptor.js';

const KINDS: Readonly<Record<(typeof AUTH_TYPES)[number], JsonObject>> = {
  bearer: object('Sends the header `Authorization: Bearer`.', { type: text('bearer'), token: secret('The token.') }, [
    'type',
    'token',
  ]),
  basic: object(
    'Sends the header `Authorization: Basic`.',
    { type: text('basic'), username: secret('User name.'), password: secret('The password.') },
    ['type', 'username', 'password'],
  ),
  header: object(
    'Sends a header with a name of your choice.',
    { type: text('header'), name: pattern('Name of the header.', 'headerName'), value: secret('Value of the header.') },
    ['type', 'name', 'value'],
  ),
  query: object(
    'Sends a query parameter.',
    {
      type: text('query'),
      name: text('Name of the parameter.', { maxLength: 128 }),
      value: secret('Value of the parameter.'),
    },
    ['type', 'name', 'value'],
  ),
  aws_sigv4: object(
    'Signs calls with AWS Signature Version 4.',
    {
      type: text('aws_sigv4'),
      access_key_id: secret('Access key id.'),
      secret_access_key: secret('Secret access key.'),
      session_token: secret('Token of temporary credentials.'),
      region: secret('Region of the service, for example `eu-central-1`.'),
      service: secret('Name of the service in signatures, for example `s3`.'),
    },
    ['type', 'access_key_id', 'secret_access_key', 'region', 'service'],
  ),
  oauth2: object(
    'Sends an access token of a connection that a person has authorised.',
    {
      type: text('oauth2'),
      connection: text('Name or id of the connection. It must be granted to the agent.', {
        minLength: 1,
        maxLength: 200,
      }),
    },
    ['type', 'connection'],
  ),
  oauth2_client_credentials: object(
    'Sends an access token that the service requests with the credentials of a client (OAuth 2.0, grant `client_credentials`).',
    {
      type: text('oauth2_client_credentials'),
      token_url: computedUrl('Token endpoint. May contain `${{ secrets.NAME }}`.'),
      client_id: secret('Client id.'),
      client_secret: secret('Client secret.'),
      scopes: list('Scopes to request.', text('One scope.', { pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }), 100, {
        uniqueItems: true,
      }),
      parameters: dictionary(
        'Further parameters of the token request, for example `audience`.',
        '^[A-Za-z0-9_.:-]{1,128}$',
        secret('Value of the parameter.'),
      ),
      client_authentication: choice(
        'How the client authenticates: in the header `Authorization: Basic`, or in the body of the token request.',
        CLIENT_AUTHENTICATIONS,
        { default: 'basic' },
      ),
    },
    ['type', 'token_url', 'client_id', 'client_secret'],
  ),
};

/** The schema `#/$defs/auth`. */
export const auth = byValue('type', KINDS);
