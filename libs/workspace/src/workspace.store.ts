import { notFound } from '@app/kernel';
import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { WorkspaceEntity } from './workspace.entity.js';

@Injectable()
export class WorkspaceStore {
  constructor(@InjectRepository(WorkspaceEntity) private readonly table: Repository<WorkspaceEntity>) {}

  /** @throws DomainError `not_found` */
  async get(workspaceId: string): Promise<WorkspaceEntity> {
    const workspace = await orUnavailable(this.table.findOneBy({ id: workspaceId }));
    if (!workspace) throw notFound('workspace', workspaceId);
    return workspace;
  }

  /** Reads across workspaces, for the operator commands. */
  findSome(idOrName: string | undefined, { manager }: Transaction): Promise<WorkspaceEntity[]> {
    const where = idOrName === undefined ? {} : [{ id: idOrName }, { name: idOrName }];
    return manager.find(WorkspaceEntity, { where, order: { id: 'asc' }, take: 2 });
  }

  /** Reads across workspaces, for the operator commands. */
  all({ manager }: Transaction): Promise<WorkspaceEntity[]> {
    return manager.find(WorkspaceEntity, { order: { id: 'asc' } });
  }

  async insert(workspace: Pick<WorkspaceEntity, 'id' | 'name'>, { manager }: Transaction): Promise<void> {
    await manager.insert(WorkspaceEntity, workspace);
  }

  /**
   * Takes a lock until the transaction ends, so that concurrent commands that create the first key create only one
   * workspace.
   */
  async lockInstallation({ manager }: Transaction): Promise<void> {
    await manager.query("select pg_advisory_xact_lock(hashtextextended('workspace-bootstrap', 0))");
  }
}
