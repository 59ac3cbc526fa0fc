import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { type Role, ROLES, type Scope, SCOPES } from '@app/workspace';
import { IsTimestamp } from '../http/request-validation.js';

const KEY_NAME = /^(?=\S)[^\p{Cc}]{1,200}(?<=\S)$/u;

/** The field may be absent or null, which mean the same. */
const OrNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

export class CreateApiKeyBody {
  @ApiProperty({ example: 'ci', minLength: 1, maxLength: 200 })
  @Matches(KEY_NAME, { message: 'name must be 1 to 200 characters, without spaces around it' })
  @IsString()
  name: string;

  @ApiProperty({ enum: API_KEY_KINDS, description: 'Runs that a test key starts are in mode `test`.' })
  @IsIn(API_KEY_KINDS)
  kind: ApiKeyKind;

  @ApiProperty({ enum: ROLES, description: "At most the member's role." })
  @IsIn(ROLES)
  role: Role;

  @ApiProperty({ description: 'E-mail address of the member it is for.', example: 'ada@example.com' })
  @MaxLength(320)
  @IsString()
  member: string;

  @ApiPropertyOptional({
    enum: SCOPES,
    isArray: true,
    minItems: 1,
    nullable: true,
    description: 'Only these of what the role allows. Default: all of it. Your own key has to hold each of them.',
  })
  @OrNull()
  @IsIn(SCOPES, { each: true })
  @ArrayMaxSize(SCOPES.length)
  @ArrayMinSize(1, { message: 'scopes must name at least one scope; leave it out for all scopes of the role' })
  @IsArray()
  scopes?: Scope[] | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true, description: 'Default: never.' })
  @OrNull()
  @IsTimestamp()
  expires_at?: string | null;
}

@ApiSchema({ name: 'ApiKey' })
export class ApiKeyResource {
  @ApiProperty({ example: 'key_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: API_KEY_KINDS })
  kind: ApiKeyKind;

  @ApiProperty({ enum: ROLES, description: "Its own; the member's counts where that is weaker." })
  role: Role;

  @ApiProperty({ description: 'E-mail address.', example: 'ada@example.com' })
  member: string;

  @ApiProperty({ type: [String], nullable: true, description: 'Null: everything the role allows.' })
  scopes: string[] | null;

  @ApiProperty({ description: 'How it begins.', example: 'aas_live_4fQx' })
  prefix: string;

  @ApiProperty({ description: 'How it ends.', example: 'x3Zd' })
  last_four: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: never.' })
  expires_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Exact to a minute.' })
  last_used_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Of a key that was rotated: until when the text before is valid, or was.',
  })
  previous_expires_at: string | null;
}

@ApiSchema({ name: 'NewApiKey' })
export class NewApiKeyResource extends ApiKeyResource {
  @ApiProperty({ description: 'The key itself. Only this answer has it.', example: 'aas_live_…' })
  key: string;
}
