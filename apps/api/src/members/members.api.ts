import { ApiSchema } from '@nestjs/swagger';
import { type MemberEntity, type Role, ROLES } from '@app/workspace';
import { Id, OneOf, Text, Timestamp } from '../http/fields.js';

/** The permissions of the roles, for descriptions. */
export const ROLE_VALUES =
  '`viewer` reads. `operator` also starts and cancels runs. `builder` also changes agents and knowledge. `admin` also manages ' +
  'members and keys and stops the workspace.';
const ROLE = { description: `Role of the member. ${ROLE_VALUES}`, example: 'builder' };

@ApiSchema({ description: 'A member to add.' })
export class CreateMemberBody {
  @Text({
    longest: 320,
    format: 'email',
    example: 'ada@example.com',
    description: 'E-mail address. Stored in lower case.',
  })
  email: string;
  @OneOf(ROLES, ROLE) role: Role;
}

@ApiSchema({ description: 'A change of a member.' })
export class ChangeMemberBody {
  @OneOf(ROLES, ROLE) role: Role;
}

@ApiSchema({ name: 'Member', description: 'A person in the workspace.' })
export class MemberResource {
  @Id('member') id: string;
  @Text({ description: 'E-mail address, in lower case.', example: 'ada@example.com' }) email: string;
  @OneOf(ROLES, ROLE) role: Role;
  @Timestamp({ description: 'Time at which the member was added.' }) created_at: string;
}

export function presentMember({ id, email, role, createdAt }: MemberEntity): MemberResource {
  return { id, email, role, created_at: createdAt.toISOString() };
}
