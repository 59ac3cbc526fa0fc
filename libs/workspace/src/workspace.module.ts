import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeys } from './api-keys.service.js';
import { Member } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import { WorkspaceBootstrap } from './workspace-bootstrap.service.js';
import { Workspace } from './workspace.entity.js';
import { WorkspaceRepository } from './workspace.repository.js';
import { Workspaces } from './workspaces.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Workspace, Member, ApiKey])],
  providers: [
    { provide: Clock, useValue: systemClock },
    WorkspaceRepository,
    MemberRepository,
    ApiKeyRepository,
    Workspaces,
    ApiKeys,
    WorkspaceBootstrap,
  ],
  exports: [Workspaces, ApiKeys, WorkspaceBootstrap],
})
export class WorkspaceModule {}
