import { notFound } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { WorkspaceEntity } from './workspace.entity.js';
import { WorkspaceRepository } from './workspace.repository.js';

@Injectable()
export class Workspaces {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  /** @throws DomainError `not_found` */
  async get(workspaceId: string): Promise<WorkspaceEntity> {
    const workspace = await this.workspaces.findById(workspaceId);
    if (!workspace) throw notFound('workspace', workspaceId);
    return workspace;
  }
}
