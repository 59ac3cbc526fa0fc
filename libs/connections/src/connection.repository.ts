import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { ConnectionEntity, type ConnectionError, type ConnectionPlace } from './connection.entity.js';

export type NewConnection = Pick<
  ConnectionEntity,
  'id' | 'workspaceId' | 'name' | 'provider' | 'scopes' | 'agents' | 'createdBy'
>;

// Many processes may use a connection at the same time. Therefore a use is recorded at most once in ten seconds, unless
// it clears an error.
const RECORD_USE: Statement = {
  name: 'connections.record_use',
  text: `update connections set last_used_at = clock_timestamp(), error = null
    where workspace_id = $1 and id = $2 and status = 'active'
      and (coalesce(last_used_at < clock_timestamp() - interval '10 seconds', true) or error is not null)
    returning id`,
};
/** Changes nothing if a person has authorised the connection since the renewal began. */
const RECORD_FAILURE: Statement = {
  name: 'connections.record_failure',
  text: `update connections set error = $4::jsonb, updated_at = clock_timestamp(),
      status = case when $5::boolean then 'expired' else status end
    where workspace_id = $1 and id = $2 and status = 'active' and authorized_at = $3::timestamptz
    returning id`,
};

const END_GRANT = `update connections set agents = array_remove(agents, $2), updated_at = clock_timestamp()
  where workspace_id = $1 and $2 = any (agents)
  returning id, agents`;

@Injectable()
export class ConnectionRepository {
  constructor(
    @InjectRepository(ConnectionEntity) private readonly table: Repository<ConnectionEntity>,
    private readonly statements: Statements,
  ) {}

  find({ workspaceId, id }: ConnectionPlace): Promise<ConnectionEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, id }));
  }

  findNamed(workspaceId: string, names: readonly string[], transaction?: Transaction): Promise<ConnectionEntity[]> {
    const table = transaction ? transaction.manager.getRepository(ConnectionEntity) : this.table;
    const among = In([...names]);
    return orUnavailable(
      table.findBy([
        { workspaceId, name: among },
        { workspaceId, id: among },
      ]),
    );
  }

  page(workspaceId: string, page: PageRequest): Promise<Page<ConnectionEntity>> {
    return findPage(this.table, { workspaceId }, page);
  }

  async insert(connection: NewConnection, { manager }: Transaction): Promise<boolean> {
    const insertion = manager
      .createQueryBuilder()
      .insert()
      .into(ConnectionEntity)
      .values(connection)
      .orIgnore()
      .returning('id');
    return ((await insertion.updateEntity(false).execute()).raw as unknown[]).length === 1;
  }

  lock({ workspaceId, id }: ConnectionPlace, { manager }: Transaction): Promise<ConnectionEntity | null> {
    return manager.findOne(ConnectionEntity, { where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  async replaceAgents(
    { workspaceId, id }: ConnectionPlace,
    agents: readonly string[],
    { manager }: Transaction,
  ): Promise<void> {
    const change = { agents: [...agents], updatedAt: () => 'clock_timestamp()' };
    await manager.update(ConnectionEntity, { workspaceId, id }, change);
  }

  async endGrant(
    workspaceId: string,
    grant: string,
    { manager }: Transaction,
  ): Promise<Pick<ConnectionEntity, 'id' | 'agents'>[]> {
    const [rows] = await manager.query<[Pick<ConnectionEntity, 'id' | 'agents'>[], number]>(END_GRANT, [
      workspaceId,
      grant,
    ]);
    return rows;
  }

  async markAuthorized(
    { workspaceId, id }: ConnectionPlace,
    { account, authorizedBy }: Pick<ConnectionEntity, 'account' | 'authorizedBy'>,
    { manager }: Transaction,
  ): Promise<void> {
    const times = { authorizedAt: () => 'clock_timestamp()', updatedAt: () => 'clock_timestamp()' };
    const change = { status: 'active', error: null, account, authorizedBy, ...times } as const;
    await manager.update(ConnectionEntity, { workspaceId, id }, change);
  }

  async delete({ workspaceId, id }: ConnectionPlace, { manager }: Transaction): Promise<void> {
    await manager.delete(ConnectionEntity, { workspaceId, id });
  }

  async recordUse({ workspaceId, id }: ConnectionPlace): Promise<void> {
    await this.statements.query(RECORD_USE, [workspaceId, id]);
  }

  /** @param isFinal whether a person must authorise the connection again */
  async recordFailure(
    { workspaceId, id, authorizedAt }: Pick<ConnectionEntity, 'workspaceId' | 'id' | 'authorizedAt'>,
    error: ConnectionError,
    isFinal: boolean,
  ): Promise<void> {
    const values = [workspaceId, id, authorizedAt, JSON.stringify(error), isFinal];
    await this.statements.query(RECORD_FAILURE, values);
  }
}
