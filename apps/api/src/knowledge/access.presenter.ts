import type { KnowledgeGrants, PrincipalType } from '@app/knowledge';
import type { AccessResource } from './access.dto.js';

export function presentAccess({ grants }: KnowledgeGrants): AccessResource {
  const of = (wanted: PrincipalType): string[] =>
    grants.filter(({ type }) => type === wanted).map(({ principal }) => principal);
  return {
    users: of('user'),
    groups: of('group'),
    channels: of('channel'),
    agents: of('agent'),
    data: grants.map(({ type, principal, grantedAt, grantedBy }) => ({
      type,
      id: principal,
      granted_at: grantedAt.toISOString(),
      granted_by: grantedBy,
    })),
  };
}
