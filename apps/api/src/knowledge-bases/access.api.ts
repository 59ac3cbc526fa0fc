import { ApiSchema } from '@nestjs/swagger';
import { type KnowledgeGrants, PRINCIPAL_TYPES, type PrincipalType } from '@app/knowledge';
import { Nested, OneOf, Text, Timestamp } from '../http/fields.js';

const GRANTS = { optional: true, list: true, most: 10_000 } as const;

/** Absent is empty. */
export class ReplaceAccessBody {
  @Text({ ...GRANTS, description: 'E-mail addresses.', example: ['ada@example.com'] }) users: string[] = [];
  @Text({ ...GRANTS, description: 'Names of groups.', example: ['support'] })
  groups: string[] = [];
  @Text({ ...GRANTS, description: '`<channel type>:<channel id>`.', example: ['slack:C0123'] })
  channels: string[] = [];
  @Text({ ...GRANTS, description: 'Ids of agents.' }) agents: string[] = [];
}

export class AccessGrantResource {
  @OneOf(PRINCIPAL_TYPES) type: PrincipalType;
  @Text({ example: 'ada@example.com' }) id: string;
  @Timestamp() granted_at: string;
  @Text({ description: 'E-mail address of who granted it.' }) granted_by: string;
}

@ApiSchema({ name: 'Access' })
export class AccessResource {
  @Text({ list: true }) users: string[];
  @Text({ list: true }) groups: string[];
  @Text({ list: true }) channels: string[];
  @Text({ list: true }) agents: string[];
  @Nested(AccessGrantResource, { list: true, description: 'Every grant, by type and then by name.' })
  data: AccessGrantResource[];
}

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
