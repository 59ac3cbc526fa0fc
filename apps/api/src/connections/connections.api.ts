import { ApiSchema } from '@nestjs/swagger';
import {
  type AuthorizationRequest,
  CONNECTION_STATUSES,
  type ConnectionEntity,
  type OauthProvider,
} from '@app/connections';
import { type Principal, seenAgents } from '@app/workspace';
import { Flag, Id, Name, Nested, OneOf, Text, Timestamp } from '../http/fields.js';

const MAX_AGENTS = 1_000;
const MAX_SCOPES = 100;
const MAX_NAME = 200;

const AGENTS = {
  list: true,
  most: MAX_AGENTS,
  longest: MAX_NAME,
  description:
    'Agents whose tools may use the connection, as ids or `name:<name>`. The agent ' +
    'with the name may be created later.',
  example: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'],
} as const;
const NAME = {
  maxLength: MAX_NAME,
  description: 'Name, unique in the workspace, for `auth.connection` of a tool.',
  example: 'crm',
} as const;

@ApiSchema({ description: 'A connection to create.' })
export class CreateConnectionBody {
  @Name(NAME) name: string;
  @Text({ longest: 63, description: 'Provider that the operator has configured.', example: 'google_drive' })
  provider: string;
  @Text({
    optional: true,
    list: true,
    most: MAX_SCOPES,
    // A scope has the syntax of RFC 6749, section 3.3.
    pattern: /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/,
    message: 'each value in scopes must be 1 to 500 printable ASCII characters without spaces, quotes and backslashes',
    description: 'Scopes to request. Default: those that the operator has configured for the provider.',
    example: ['https://www.googleapis.com/auth/drive.readonly'],
  })
  scopes?: string[];
  @Text({ ...AGENTS, optional: true }) agents?: string[];
}

@ApiSchema({ description: 'The agents that the connection is granted to.' })
export class ChangeConnectionBody {
  @Text(AGENTS) agents: string[];
}

@ApiSchema({ description: 'An OAuth provider of this installation.' })
export class ConnectionProvider {
  @Text({ description: 'Name of the provider, as in `provider` of a connection.', example: 'google_drive' })
  name: string;
  @Text({ description: 'Name of the provider for people.', example: 'Google Drive' }) title: string;
  @Text({
    list: true,
    description: 'Scopes that are requested if a connection names none.',
    example: ['https://www.googleapis.com/auth/drive.readonly'],
  })
  scopes: string[];
  @Flag({ description: '`true` if connections to the provider can be authorised.', example: true })
  available: boolean;
}

@ApiSchema({ description: 'All OAuth providers.' })
export class ConnectionProviderPage {
  @Nested(ConnectionProvider, { list: true, description: 'All providers.' }) data: ConnectionProvider[];
}

@ApiSchema({ name: 'ConnectionError', description: 'A failed renewal of the access token.' })
export class ConnectionErrorResource {
  @OneOf(['authorization_revoked', 'token_refused'], {
    description:
      'Code of the error. `authorization_revoked`: a person must authorise the connection again. `token_refused`: a later call may succeed.',
    example: 'authorization_revoked',
  })
  code: string;
  @Text({ description: 'Explanation for people.', example: 'Notion responded with the error invalid_grant' })
  message: string;
  @Timestamp({ nullable: true, description: 'Time of the failed renewal; null if it is not known.' }) at: string | null;
}

@ApiSchema({ name: 'Connection', description: 'An authorisation that a person gave for the calls of tools.' })
export class ConnectionResource {
  @Id('connection') id: string;
  @Text(NAME) name: string;
  @Text({ description: 'Name of the OAuth provider that the operator has configured.', example: 'google_drive' })
  provider: string;
  @Text({
    list: true,
    description: 'Scopes that are requested from the provider.',
    example: ['https://www.googleapis.com/auth/drive.readonly'],
  })
  scopes: string[];
  @OneOf(CONNECTION_STATUSES, {
    description:
      'Status. `pending`: no person has authorised it yet. `active`: tools can use it. `expired`: the provider no longer accepts the authorisation.',
    example: 'active',
  })
  status: string;
  @Text({
    nullable: true,
    description: 'Account of the person at the provider; null if the provider does not report it.',
    example: 'ada@example.com',
  })
  account: string | null;
  @Text(AGENTS) agents: string[];
  @Text({
    nullable: true,
    description: 'E-mail address of the member who requested the last authorisation; null if there was none.',
    example: 'ada@example.com',
  })
  authorized_by: string | null;
  @Timestamp({ nullable: true, description: 'Time of the last authorisation; null if there was none.' })
  authorized_at: string | null;
  @Timestamp({
    nullable: true,
    description: 'Time of the last call, to the nearest 10 seconds; null if there was none.',
  })
  last_used_at: string | null;
  @Nested(ConnectionErrorResource, {
    nullable: true,
    description: 'Error of the last renewal of the access token; null if it succeeded.',
    example: null,
  })
  error: ConnectionErrorResource | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

@ApiSchema({ name: 'NewConnection', description: 'A new connection, and the address at which a person authorises it.' })
export class NewConnectionResource extends ConnectionResource {
  @Text({
    format: 'uri',
    description:
      'Address at which a person authorises the connection within one hour. All steps must be in the same browser.',
    example: 'https://aas.example.com/v1/oauth/authorize?state=3f9c',
  })
  authorize_url: string;
}

/** Leaves out the agents that do not exist for the caller. */
export function presentConnection(connection: ConnectionEntity, principal: Principal): ConnectionResource {
  const { id, name, provider, scopes, status, account, agents, authorizedBy, error } = connection;
  return {
    id,
    name,
    provider,
    scopes,
    status,
    account,
    agents: seenAgents(principal, agents),
    authorized_by: authorizedBy,
    authorized_at: connection.authorizedAt?.toISOString() ?? null,
    last_used_at: connection.lastUsedAt?.toISOString() ?? null,
    error: error && { ...error, at: error.at ?? null },
    created_at: connection.createdAt.toISOString(),
  };
}

export function presentNewConnection(
  connection: ConnectionEntity,
  { authorizeUrl }: AuthorizationRequest,
  principal: Principal,
): NewConnectionResource {
  return Object.assign(presentConnection(connection, principal), { authorize_url: authorizeUrl });
}

export function presentProvider({ name, title, scopes, client }: OauthProvider): ConnectionProvider {
  return { name, title, scopes, available: client !== null };
}
