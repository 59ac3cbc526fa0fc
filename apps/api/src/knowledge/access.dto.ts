import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { type PrincipalType, PRINCIPAL_TYPES } from '@app/knowledge';
import { Optional } from '../http/request-validation.js';

const MOST_GRANTS = 10_000;

/** Absent is empty. */
export class ReplaceAccessBody {
  @ApiPropertyOptional({ type: [String], description: 'E-mail addresses.', example: ['ada@example.com'] })
  @Optional()
  @IsString({ each: true })
  @ArrayMaxSize(MOST_GRANTS)
  @IsArray()
  users: string[] = [];

  @ApiPropertyOptional({ type: [String], description: 'Names of groups.', example: ['support'] })
  @Optional()
  @IsString({ each: true })
  @ArrayMaxSize(MOST_GRANTS)
  @IsArray()
  groups: string[] = [];

  @ApiPropertyOptional({ type: [String], description: '`<channel type>:<channel id>`.', example: ['slack:C0123'] })
  @Optional()
  @IsString({ each: true })
  @ArrayMaxSize(MOST_GRANTS)
  @IsArray()
  channels: string[] = [];

  @ApiPropertyOptional({ type: [String], description: 'Ids of agents.' })
  @Optional()
  @IsString({ each: true })
  @ArrayMaxSize(MOST_GRANTS)
  @IsArray()
  agents: string[] = [];
}

export class AccessGrantResource {
  @ApiProperty({ enum: PRINCIPAL_TYPES })
  type: PrincipalType;

  @ApiProperty({ example: 'ada@example.com' })
  id: string;

  @ApiProperty({ format: 'date-time' })
  granted_at: string;

  @ApiProperty({ description: 'E-mail address of who granted it.' })
  granted_by: string;
}

@ApiSchema({ name: 'Access' })
export class AccessResource {
  @ApiProperty({ type: [String] })
  users: string[];

  @ApiProperty({ type: [String] })
  groups: string[];

  @ApiProperty({ type: [String] })
  channels: string[];

  @ApiProperty({ type: [String] })
  agents: string[];

  @ApiProperty({ type: [AccessGrantResource], description: 'Every grant, by type and then by name.' })
  data: AccessGrantResource[];
}
