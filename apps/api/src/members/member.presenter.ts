import type { GroupWithMembers, Member } from '@app/workspace';
import type { GroupResource, MemberResource } from './member.dto.js';

export function presentMember({ id, email, role, createdAt }: Member): MemberResource {
  return { id, email, role, created_at: createdAt.toISOString() };
}

export function presentGroup({ name, members, createdAt }: GroupWithMembers): GroupResource {
  return { name, members: [...members], created_at: createdAt.toISOString() };
}
