import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeys } from './api-keys.service.js';
import { AuditEventEntity } from './audit-event.entity.js';
import { AuditEventRepository } from './audit-event.repository.js';
import { AuditLog } from './audit-log.js';
import { AuditTrail } from './audit-trail.service.js';
import { FormerSecretEntity } from './former-secret.entity.js';
import { FormerSecrets } from './former-secrets.js';
import { GroupMemberEntity } from './group-member.entity.js';
import { GroupEntity } from './group.entity.js';
import { KnownKeys } from './known-keys.js';
import { MemberEntity } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import { WorkspaceBootstrap } from './workspace-bootstrap.service.js';
import { WorkspaceEntity } from './workspace.entity.js';
import { WorkspaceRepository } from './workspace.repository.js';
import { Workspaces } from './workspaces.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      WorkspaceEntity,
      MemberEntity,
      ApiKeyEntity,
      AuditEventEntity,
      FormerSecretEntity,
      GroupEntity,
      GroupMemberEntity,
    ]),
  ],
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
    // For libs that record their changes in the audit log.
    AuditLog,
    // For libs that rotate secrets.
    FormerSecrets,
  ],
})
export class WorkspaceModule {}
