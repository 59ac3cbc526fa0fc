import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyAuthenticationService } from './api-key-authentication.service.js';
import { AuditEventEntity } from './audit-event.entity.js';
import { AuditEventRepository } from './audit-event.repository.js';
import { AuditLogService } from './audit-log.service.js';
import { FormerSecretStore } from './former-secret.store.js';
import { GroupMemberEntity } from './group-member.entity.js';
import { GroupEntity } from './group.entity.js';
import { ApiKeyCacheService } from './api-key-cache.service.js';
import { MemberEntity } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import { PrintedLinksService } from './sign-in/printed-links.service.js';
import { SessionAuthenticationService } from './sign-in/session-authentication.service.js';
import { SessionEntity } from './sign-in/session.entity.js';
import { SessionRepository } from './sign-in/session.repository.js';
import { SignInTokenEntity } from './sign-in/sign-in-token.entity.js';
import { SignInTokenRepository } from './sign-in/sign-in-token.repository.js';
import { WorkspaceBootstrapService } from './workspace-bootstrap.service.js';
import { WorkspaceEntity } from './workspace.entity.js';
import { WorkspaceStore } from './workspace.store.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      WorkspaceEntity,
      MemberEntity,
      ApiKeyEntity,
      AuditEventEntity,
      GroupEntity,
      GroupMemberEntity,
      SessionEntity,
      SignInTokenEntity,
    ]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    ApiKeyCacheService,
    WorkspaceStore,
    MemberRepository,
    ApiKeyRepository,
    AuditEventRepository,
    AuditLogService,
    FormerSecretStore,
    ApiKeyAuthenticationService,
    SessionRepository,
    SessionAuthenticationService,
    SignInTokenRepository,
    PrintedLinksService,
    WorkspaceBootstrapService,
  ],
  exports: [
    WorkspaceStore,
    ApiKeyAuthenticationService,
    SessionAuthenticationService,
    WorkspaceBootstrapService,
    PrintedLinksService,
    ApiKeyRepository,
    MemberRepository,
    AuditEventRepository,
    SessionRepository,
    SignInTokenRepository,
    AuditLogService,
    FormerSecretStore,
  ],
})
export class WorkspaceModule {}
