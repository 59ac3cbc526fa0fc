import { type Principal, seesAgent } from '@app/workspace';
import { ApiSchema } from '@nestjs/swagger';
import { type KnowledgeGrants, PRINCIPAL_TYPES, type PrincipalType } from '@app/knowledge';
import { Nested, OneOf, Text, Timestamp } from '../http/fields.js';

const AGENT = 'agt_01kahzvk3te9d8q6f0f1v3m2sx';
const GRANTS = { optional: true, list: true, most: 10_000 } as const;

@ApiSchema({ description: 'The complete lists of readers. If a list is absent, it becomes empty.' })
export class ReplaceAccessBody {
  @Text({ ...GRANTS, description: 'E-mail addresses of people, at most 10,000.', example: ['ada@example.com'] })
  users: string[] = [];
  @Text({ ...GRANTS, description: 'Names of groups, at most 10,000.', example: ['support'] })
  groups: string[] = [];
  @Text({
    ...GRANTS,
    description: 'Channels, for example `email:desk@example.com`; at most 10,000.',
    example: ['slack:C0123'],
  })
  channels: string[] = [];
  @Text({ ...GRANTS, description: 'Ids of agents, at most 10,000.', example: [AGENT] }) agents: string[] = [];
}

@ApiSchema({ name: 'AccessGrant', description: 'The permission of one reader to read the knowledge base.' })
export class AccessGrantResource {
  @OneOf(PRINCIPAL_TYPES, { description: 'Type of the reader.' }) type: PrincipalType;
  @Text({
    description: 'E-mail address of the person, name of the group, channel, or id of the agent.',
    example: 'ada@example.com',
  })
  id: string;
  @Timestamp({ description: 'Time at which access was granted.' }) granted_at: string;
  @Text({ description: 'E-mail address of the member who granted access.', example: 'eve@example.com' })
  granted_by: string;
}

@ApiSchema({ name: 'AccessGrantPage', description: 'The readers of a knowledge base, all on one page.' })
export class AccessResource {
  @Text({ list: true, description: 'E-mail addresses of people.', example: ['ada@example.com'] }) users: string[];
  @Text({ list: true, description: 'Names of groups.', example: [] }) groups: string[];
  @Text({ list: true, description: 'Channels, for example `email:desk@example.com`.', example: [] }) channels: string[];
  @Text({ list: true, description: 'Ids of agents.', example: [] }) agents: string[];
  @Nested(AccessGrantResource, { list: true, description: 'All permissions, sorted by type and name of the reader.' })
  data: AccessGrantResource[];
}

/** Leaves out the agents that do not exist for the caller. */
export function presentAccess({ grants: all }: KnowledgeGrants, principal: Principal): AccessResource {
  const grants = all.filter(({ type, principal: id }) => type !== 'agent' || seesAgent(principal, id));
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
