import { ApiSchema } from '@nestjs/swagger';
import { type MemberEntity, type Role, ROLES } from '@app/workspace';
import { OneOf, Text, Timestamp } from '../http/fields.js';

export class CreateMemberBody {
  @Text({ longest: 320, format: 'email', example: 'ada@example.com', description: 'Kept in lower case.' })
  email: string;
  @OneOf(ROLES) role: Role;
}

export class ChangeMemberBody {
  @OneOf(ROLES) role: Role;
}

@ApiSchema({ name: 'Member' })
export class MemberResource {
  @Text({ example: 'mem_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'ada@example.com' }) email: string;
  @OneOf(ROLES) role: Role;
  @Timestamp() created_at: string;
}

export function presentMember({ id, email, role, createdAt }: MemberEntity): MemberResource {
  return { id, email, role, created_at: createdAt.toISOString() };
}
