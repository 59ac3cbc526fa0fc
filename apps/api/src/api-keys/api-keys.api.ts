import { ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { type JsonObject, parseTimestamp } from '@app/kernel';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import {
  KEY_KINDS,
  type KeyKind,
  type KeyOfMember,
  type NewApiKeyRequest,
  type NewKeyOfMember,
  type Role,
  ROLES,
  type Scope,
  SCOPES,
} from '@app/workspace';
import { Field, Flag, Id, Name, OneOf, Text, Timestamp } from '../http/fields.js';
import { ROLE_VALUES } from '../members/members.api.js';

const MAX_KEY_AGENTS = 100;

@ApiSchema({ description: 'A key to create.' })
export class CreateApiKeyBody {
  @Name({ description: 'Display name of the key.', example: 'ci', maxLength: 200 }) name: string;
  @OneOf(API_KEY_KINDS, {
    description:
      'Kind of the key. A `test` key starts runs in mode `test` only; a `live` key starts runs in both modes.',
  })
  kind: ApiKeyKind;
  @OneOf(ROLES, { description: `Role of the key, at most that of the member. ${ROLE_VALUES}`, example: 'builder' })
  role: Role;
  @Text({
    longest: 320,
    description: 'E-mail address of the member that the key acts for.',
    example: 'ada@example.com',
  })
  member: string;
  @Field({
    optional: true,
    isArray: true,
    nullable: true,
    enum: SCOPES,
    minItems: 1,
    description:
      'Scopes to which the key is limited. Default: all scopes of the role. The caller must have each of these scopes.',
    example: ['agents:read', 'runs:read'],
  })
  @IsIn(SCOPES, { each: true })
  @ArrayMaxSize(SCOPES.length)
  @ArrayMinSize(1, { message: 'scopes must contain at least one scope; omit it for all scopes of the role' })
  @IsArray()
  scopes?: Scope[] | null;
  @Text({
    optional: true,
    nullable: true,
    list: true,
    most: MAX_KEY_AGENTS,
    description: `Agents to which the key is narrowed, as ids or \`name:<name>\`, at most ${MAX_KEY_AGENTS}. Other agents, and what belongs to them, do not exist for the key. Default: all agents.`,
    example: ['name:refund-desk'],
  })
  @ArrayMinSize(1, { message: 'agents must contain at least one agent; omit it for all agents' })
  agents?: string[] | null;
  @Flag({
    optional: true,
    default: false,
    description: 'Whether the key is for a machine: it decides no approval and answers no question.',
  })
  automation = false;
  @Timestamp({ optional: true, nullable: true, description: 'Time at which the key expires. Default: never.' })
  expires_at?: string | null;
}

@ApiSchema({ name: 'ApiKey', description: 'The properties of an API key, without the key itself.' })
export class ApiKeyResource {
  @Id('apiKey') id: string;
  @Text({ description: 'Display name of the key.', example: 'ci' }) name: string;
  @OneOf(KEY_KINDS, {
    description: 'Kind of the key: `live`, `test` for runs in mode `test` only, or `mcp` of an MCP client.',
  })
  kind: KeyKind;
  @OneOf(ROLES, {
    description: `Role of the key. If the role of the member is weaker, the role of the member applies. ${ROLE_VALUES}`,
  })
  role: Role;
  @Text({ description: 'E-mail address of the member.', example: 'ada@example.com' }) member: string;
  @Text({
    list: true,
    nullable: true,
    description: 'Scopes of the key; null for all scopes of the role.',
    example: null,
  })
  scopes: string[] | null;
  @OneOf(SCOPES, {
    list: true,
    description: 'Scopes that the key has at present, limited to the scopes of its member.',
  })
  effective_scopes: Scope[];
  @Id('agent', {
    list: true,
    nullable: true,
    description: 'Ids of the agents of the key; null for all agents.',
    example: null,
  })
  agents: string[] | null;
  @Flag({ description: 'Whether the key is barred from approvals and questions.' }) automation: boolean;
  @Text({ description: 'First characters of the key, to recognise it by.', example: 'aas_live_4fQx' }) prefix: string;
  @Text({ description: 'Last four characters of the key.', example: 'x3Zd' }) last_four: string;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ nullable: true, description: 'Time at which the key expires; null if it does not expire.' }) expires_at:
    string | null;
  @Timestamp({ nullable: true, description: 'Time of the last use, to the minute; null if it was never used.' })
  last_used_at: string | null;
  @Timestamp({
    nullable: true,
    description: 'Time until which the previous value is valid; null if the key was never rotated.',
  })
  previous_expires_at: string | null;
}

@ApiSchema({ name: 'NewApiKey', description: 'An API key, including the key itself.' })
export class NewApiKeyResource extends ApiKeyResource {
  @Text({
    description: 'The key itself, for the header `Authorization: Bearer …`. Only this response contains it.',
    example: 'aas_live_…',
  })
  key: string;
}

/** @param agents ids of the agents in the body */
export function newApiKeyRequest(body: CreateApiKeyBody, agents: readonly string[] | null): NewApiKeyRequest {
  const { name, kind, role, member, scopes, automation: isAutomation, expires_at } = body;
  const expiresAt = typeof expires_at === 'string' ? (parseTimestamp(expires_at) ?? null) : null;
  return { name, kind, role, member, scopes: scopes ? [...new Set(scopes)] : null, agents, isAutomation, expiresAt };
}

/** Returns the fields that must be equal in all requests with the same idempotency key. */
export function newApiKeyContent(body: CreateApiKeyBody): JsonObject {
  const { name, kind, role, member, scopes, agents, automation, expires_at } = body;
  // Requests without limits have the content that they had before keys could have limits.
  const limits = { ...(agents && { agents }), ...(automation && { automation }) };
  return { name, kind, role, member, scopes: scopes ?? null, expires_at: expires_at ?? null, ...limits };
}

export function presentApiKey({ apiKey, member, effectiveScopes }: KeyOfMember): ApiKeyResource {
  const { id, name, kind, role, scopes, prefix, lastFour } = apiKey;
  return {
    id,
    name,
    kind,
    role,
    member,
    scopes,
    effective_scopes: [...effectiveScopes],
    agents: apiKey.agents,
    automation: apiKey.isAutomation,
    prefix,
    last_four: lastFour,
    created_at: apiKey.createdAt.toISOString(),
    expires_at: apiKey.expiresAt?.toISOString() ?? null,
    last_used_at: apiKey.lastUsedAt?.toISOString() ?? null,
    previous_expires_at: apiKey.previousExpiresAt?.toISOString() ?? null,
  };
}

/** Returns the response body for a new API key. Only this response contains the text of the key. */
export function presentNewApiKey(made: NewKeyOfMember): NewApiKeyResource {
  return Object.assign(presentApiKey(made), { key: made.key });
}
