import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccessGrantEntity } from './access-grant.entity.js';
import type { GrantedTo } from './wanted-grants.js';

const REVOKE = `delete from knowledge_grants where workspace_id = $1 and knowledge_base_id = $2
  and (type, principal) not in (select * from unnest($3::text[], $4::text[]))`;

/** An existing grant keeps its date and author. */
const GRANT = `insert into knowledge_grants (workspace_id, knowledge_base_id, type, principal, granted_by)
  select $1, $2, type, principal, $5 from unnest($3::text[], $4::text[]) as wanted (type, principal)
  on conflict do nothing`;

@Injectable()
export class AccessGrantRepository {
  constructor(@InjectRepository(AccessGrantEntity) private readonly table: Repository<AccessGrantEntity>) {}

  readGrants(workspaceId: string, knowledgeBaseId: string, transaction?: Transaction): Promise<AccessGrantEntity[]> {
    const table = transaction?.manager.getRepository(AccessGrantEntity) ?? this.table;
    const order = { type: 'asc', principal: 'asc' } as const;
    return orUnavailable(table.find({ where: { workspaceId, knowledgeBaseId }, order }));
  }

  async replaceGrants(
    base: { workspaceId: string; id: string },
    wanted: readonly GrantedTo[],
    grantedBy: string,
    { manager }: Transaction,
  ): Promise<void> {
    const types = wanted.map(({ type }) => type);
    const principals = wanted.map(({ principal }) => principal);
    await manager.query(REVOKE, [base.workspaceId, base.id, types, principals]);
    await manager.query(GRANT, [base.workspaceId, base.id, types, principals, grantedBy]);
  }
}
