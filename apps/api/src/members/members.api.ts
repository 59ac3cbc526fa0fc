import { ApiSchema } from '@nestjs/swagger';
import { type Invitation, type MemberEntity, type Role, ROLES, type Scope, SCOPES, scopesOf } from '@app/workspace';
import { Flag, Id, OneOf, Text, Timestamp } from '../http/fields.js';

export const ROLE_VALUES = 'The section Authentication lists the scopes of each role.';
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
  @Text({
    optional: true,
    list: true,
    most: 100,
    longest: 200,
    description: 'Names of groups that the member joins.',
    example: ['finance-leads'],
  })
  groups?: string[];
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
  @OneOf(SCOPES, { list: true, description: 'Scopes of the role.' }) effective_scopes: Scope[];
  @Timestamp({ description: 'Time at which the member was added.' }) created_at: string;
  @Timestamp({ nullable: true, description: 'Time of the last sign-in; null if the member has never signed in.' })
  last_signed_in_at: string | null;
}

export function presentMember(member: MemberEntity): MemberResource {
  const { id, email, role, createdAt, lastSignedInAt, lastUsedAt } = member;
  return {
    id,
    email,
    role,
    effective_scopes: [...scopesOf(role)],
    created_at: createdAt.toISOString(),
    last_signed_in_at: (lastSignedInAt ?? lastUsedAt)?.toISOString() ?? null,
  };
}

@ApiSchema({ name: 'Invitation', description: 'An invitation of a member to sign in.' })
export class InvitationResource {
  @Text({
    description: 'Link for the member. Only this response contains it.',
    example: 'https://aas.example.com/console/sign-in#wSXbtTGRYbFzQ1nUzMzwZ3mZ8sA3kYb7dVbC1r0x2Q4',
  })
  url: string;
  @Timestamp({ description: 'Time at which the invitation expires.' }) expires_at: string;
  @Flag({ description: '`true` if the mail relay has accepted an e-mail with the invitation.' }) mailed: boolean;
}

export function presentInvitation({ url, expiresAt, mailed }: Invitation): InvitationResource {
  return { url, expires_at: expiresAt.toISOString(), mailed };
}
