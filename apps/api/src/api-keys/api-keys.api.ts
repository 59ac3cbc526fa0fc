import { ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { type JsonObject, parseTimestamp } from '@app/kernel';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import {
  type KeyOfMember,
  type NewApiKeyRequest,
  type NewKeyOfMember,
  type Role,
  ROLES,
  type Scope,
  SCOPES,
} from '@app/workspace';
import { Field, Name, OneOf, Text, Timestamp } from '../http/fields.js';

export class CreateApiKeyBody {
  @Name({ example: 'ci', maxLength: 200 }) name: string;
  @OneOf(API_KEY_KINDS, { description: 'Runs that a test key starts are in mode `test`.' }) kind: ApiKeyKind;
  @OneOf(ROLES, { description: "At most the member's role." }) role: Role;
  @Text({ longest: 320, description: 'E-mail address of the member it is for.', example: 'ada@example.com' })
  member: string;
  @Field({
    optional: true,
    isArray: true,
    nullable: true,
    enum: SCOPES,
    minItems: 1,
    description: 'Only these of what the role allows. Default: all of it. Your own key has to hold each of them.',
  })
  @IsIn(SCOPES, { each: true })
  @ArrayMaxSize(SCOPES.length)
  @ArrayMinSize(1, { message: 'scopes must name at least one scope; leave it out for all scopes of the role' })
  @IsArray()
  scopes?: Scope[] | null;
  @Timestamp({ optional: true, nullable: true, description: 'Default: never.' }) expires_at?: string | null;
}

@ApiSchema({ name: 'ApiKey' })
export class ApiKeyResource {
  @Text({ example: 'key_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text() name: string;
  @OneOf(API_KEY_KINDS) kind: ApiKeyKind;
  @OneOf(ROLES, { description: "Its own; the member's counts where that is weaker." }) role: Role;
  @Text({ description: 'E-mail address.', example: 'ada@example.com' }) member: string;
  @Text({ list: true, nullable: true, description: 'Null: everything the role allows.' }) scopes: string[] | null;
  @Text({ description: 'How it begins.', example: 'aas_live_4fQx' }) prefix: string;
  @Text({ description: 'How it ends.', example: 'x3Zd' }) last_four: string;
  @Timestamp() created_at: string;
  @Timestamp({ nullable: true, description: 'Null: never.' }) expires_at: string | null;
  @Timestamp({ nullable: true, description: 'Exact to a minute.' }) last_used_at: string | null;
  @Timestamp({ nullable: true, description: 'Of a key that was rotated: until when the text before is valid, or was.' })
  previous_expires_at: string | null;
}

@ApiSchema({ name: 'NewApiKey' })
export class NewApiKeyResource extends ApiKeyResource {
  @Text({ description: 'The key itself. Only this answer has it.', example: 'aas_live_…' }) key: string;
}

/** What the body asks for. */
export function newApiKeyRequest(body: CreateApiKeyBody): NewApiKeyRequest {
  const { name, kind, role, member, scopes, expires_at } = body;
  const expiresAt = typeof expires_at === 'string' ? (parseTimestamp(expires_at) ?? null) : null;
  return { name, kind, role, member, scopes: scopes ? [...new Set(scopes)] : null, expiresAt };
}

/** The content of the body, for its claim. */
export function newApiKeyContent({ name, kind, role, member, scopes, expires_at }: CreateApiKeyBody): JsonObject {
  return { name, kind, role, member, scopes: scopes ?? null, expires_at: expires_at ?? null };
}

export function presentApiKey({ apiKey, member }: KeyOfMember): ApiKeyResource {
  const { id, name, kind, role, scopes, prefix, lastFour } = apiKey;
  return {
    id,
    name,
    kind,
    role,
    member,
    scopes,
    prefix,
    last_four: lastFour,
    created_at: apiKey.createdAt.toISOString(),
    expires_at: apiKey.expiresAt?.toISOString() ?? null,
    last_used_at: apiKey.lastUsedAt?.toISOString() ?? null,
    previous_expires_at: apiKey.previousExpiresAt?.toISOString() ?? null,
  };
}

/** With the text of the key, for the only time. */
export function presentNewApiKey(made: NewKeyOfMember): NewApiKeyResource {
  return Object.assign(presentApiKey(made), { key: made.key });
}
