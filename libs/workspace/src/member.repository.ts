import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Member } from './member.entity.js';
import { ROLES } from './roles.js';

const ADMIT = `insert into members as m (id, workspace_id, email, role) values ($1, $2, $3, $4)
  on conflict on constraint members_email_uq do update
    set role = case when array_position($5::text[], excluded.role) > array_position($5::text[], m.role)
      then excluded.role else m.role end
  returning id`;

@Injectable()
export class MemberRepository {
  constructor(@InjectRepository(Member) private readonly table: Repository<Member>) {}

  findByEmail(workspaceId: string, email: string): Promise<Member | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, email }));
  }

  /** Makes the member, or raises the role of the one who has this address; a role is never lowered. Answers the id. */
  async admit(member: Omit<Member, 'createdAt'>, { manager }: Transaction): Promise<string> {
    const values = [member.id, member.workspaceId, member.email, member.role, ROLES];
    const [row] = await manager.query<[{ id: string }]>(ADMIT, values);
    return row.id;
  }
}
