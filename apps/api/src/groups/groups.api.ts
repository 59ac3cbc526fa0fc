import { ApiSchema } from '@nestjs/swagger';
import type { GroupWithMembers } from '@app/workspace';
import { Text, Timestamp } from '../http/fields.js';

const MAX_MEMBERS = 1_000;

@ApiSchema({ description: 'The members of a group.' })
export class ChangeGroupBody {
  @Text({
    list: true,
    most: MAX_MEMBERS,
    description: 'E-mail addresses of members of the workspace, at most 1,000.',
    example: ['ada@example.com'],
  })
  members: string[];
}

@ApiSchema({ description: 'A group to create.' })
export class CreateGroupBody extends ChangeGroupBody {
  @Text({
    minLength: 1,
    maxLength: 200,
    pattern: /^(?=\S)[^\p{Cc}/]{1,200}(?<=\S)$/u,
    message: 'name must be 1 to 200 characters, without a slash and without spaces around it',
    example: 'finance-leads',
    description: 'Name, as definitions and grants use it: 1 to 200 characters, without a slash.',
  })
  name: string;
}

@ApiSchema({ name: 'Group', description: 'A named set of members: approvers, or readers of knowledge.' })
export class GroupResource {
  @Text({ description: 'Name, unique in the workspace.', example: 'finance-leads' }) name: string;
  @Text({ list: true, description: 'E-mail addresses of the members, sorted.', example: ['ada@example.com'] })
  members: string[];
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

export function presentGroup({ name, members, createdAt }: GroupWithMembers): GroupResource {
  return { name, members: [...members], created_at: createdAt.toISOString() };
}
