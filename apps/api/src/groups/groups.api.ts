import { ApiSchema } from '@nestjs/swagger';
import type { GroupWithMembers } from '@app/workspace';
import { Text, Timestamp } from '../http/fields.js';

const MOST_MEMBERS = 1_000;

export class ChangeGroupBody {
  @Text({ list: true, most: MOST_MEMBERS, description: 'E-mail addresses of members.', example: ['ada@example.com'] })
  members: string[];
}

export class CreateGroupBody extends ChangeGroupBody {
  @Text({
    minLength: 1,
    maxLength: 200,
    pattern: /^(?=\S)[^\p{Cc}/]{1,200}(?<=\S)$/u,
    message: 'name must be 1 to 200 characters, without a slash and without spaces around it',
    example: 'finance-leads',
    description: 'What definitions and grants say.',
  })
  name: string;
}

@ApiSchema({ name: 'Group' })
export class GroupResource {
  @Text({ example: 'finance-leads' }) name: string;
  @Text({ list: true, description: 'E-mail addresses, sorted.' }) members: string[];
  @Timestamp() created_at: string;
}

export function presentGroup({ name, members, createdAt }: GroupWithMembers): GroupResource {
  return { name, members: [...members], created_at: createdAt.toISOString() };
}
