import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Workspace } from './workspace.entity.js';

@Injectable()
export class WorkspaceRepository {
  constructor(@InjectRepository(Workspace) private readonly table: Repository<Workspace>) {}

  findById(workspaceId: string): Promise<Workspace | null> {
    return orUnavailable(this.table.findOneBy({ id: workspaceId }));
  }

  /** Installation-wide, for the operator's command line: workspaces with this id or name, or all; at most two. */
  findSome(idOrName: string | undefined, { manager }: Transaction): Promise<Workspace[]> {
    const where = idOrName === undefined ? {} : [{ id: idOrName }, { name: idOrName }];
    return manager.find(Workspace, { where, order: { id: 'asc' }, take: 2 });
  }

  /** Installation-wide, for the operator's command line: by creation. */
  all({ manager }: Transaction): Promise<Workspace[]> {
    return manager.find(Workspace, { order: { id: 'asc' } });
  }

  async insert(workspace: Pick<Workspace, 'id' | 'name'>, { manager }: Transaction): Promise<void> {
    await manager.insert(Workspace, workspace);
  }

  /** Until the transaction ends, everybody else who asks for this lock waits: two first keys make one workspace. */
  async lockInstallation({ manager }: Transaction): Promise<void> {
    await manager.query("select pg_advisory_xact_lock(hashtextextended('workspace-bootstrap', 0))");
  }
}
