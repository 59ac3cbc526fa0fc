import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { type Role, ROLES } from '@app/workspace';

const MOST_MEMBERS = 1_000;
const GROUP_NAME = /^(?=\S)[^\p{Cc}/]{1,200}(?<=\S)$/u;

export class CreateMemberBody {
  @ApiProperty({ format: 'email', example: 'ada@example.com', description: 'Kept in lower case.' })
  @MaxLength(320)
  @IsString()
  email: string;

  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role: Role;
}

export class ChangeMemberBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role: Role;
}

@ApiSchema({ name: 'Member' })
export class MemberResource {
  @ApiProperty({ example: 'mem_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty({ enum: ROLES })
  role: Role;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class ChangeGroupBody {
  @ApiProperty({ type: [String], description: 'E-mail addresses of members.', example: ['ada@example.com'] })
  @IsString({ each: true })
  @ArrayMaxSize(MOST_MEMBERS)
  @IsArray()
  members: string[];
}

export class CreateGroupBody extends ChangeGroupBody {
  @ApiProperty({
    example: 'finance-leads',
    minLength: 1,
    maxLength: 200,
    description: 'What definitions and grants say.',
  })
  @Matches(GROUP_NAME, { message: 'name must be 1 to 200 characters, without a slash and without spaces around it' })
  @IsString()
  name: string;
}

@ApiSchema({ name: 'Group' })
export class GroupResource {
  @ApiProperty({ example: 'finance-leads' })
  name: string;

  @ApiProperty({ type: [String], description: 'E-mail addresses, sorted.' })
  members: string[];

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}
