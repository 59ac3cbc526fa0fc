import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeys } from './api-keys.service.js';
import { AuditEvent } from './audit-event.entity.js';
import { AuditEventRepository } from './audit-event.repository.js';
import { AuditLog } from './audit-log.js';
import { AuditTrail } from './audit-trail.service.js';
import { FormerSecret } from './former-secret.entity.js';
import { FormerSecrets } from './former-secrets.js';
import { GroupMember } from './group-member.entity.js';
import { Group } from './group.entity.js';
import { KnownKeys } from './known-keys.js';
import { Member } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import { WorkspaceBootstrap } from './workspace-bootstrap.service.js';
import { Workspace } from './workspace.entity.js';
import { WorkspaceRepository } from './workspace.repository.js';
import { Workspaces } from './workspaces.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Workspace, Member, ApiKey, AuditEvent, FormerSecret, Group, GroupMember])],
  providers: [
    { provide: Clock, useValue: systemClock },
    KnownKeys,
    WorkspaceRepository,
    MemberRepository,
    ApiKeyRepository,
    AuditEventRepository,
    AuditLog,
    AuditTrail,
    FormerSecrets,
    Workspaces,
    ApiKeys,
    WorkspaceBootstrap,
  ],
  exports: [
    Workspaces,
    ApiKeys,
    AuditTrail,
    WorkspaceBootstrap,
    // For the modules of this lib that need the encryption key.
    ApiKeyRepository,
    MemberRepository,
    // For whatever else changes something that people are told of.
    AuditLog,
    // For whatever else has a secret that is rotated.
    FormerSecrets,
  ],
})
export class WorkspaceModule {}
