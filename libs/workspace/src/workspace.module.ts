import { Clock, systemClock } from '@app/kernel';
import { ReservedStatements, Statements } from '@app/platform/database';
import { Module, type Provider } from '@nestjs/common';
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
import { KeyOwnerStore } from './key-owner.store.js';
import { MemberEntity } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import { RefusalLogService } from './refusal-log.service.js';
import { PrintedLinksService } from './sign-in/printed-links.service.js';
import { SessionAuthenticationService } from './sign-in/session-authentication.service.js';
import { SessionOwnerStore } from './sign-in/session-owner.store.js';
import { SessionEntity } from './sign-in/session.entity.js';
import { SessionRepository } from './sign-in/session.repository.js';
import { SignInTokenEntity } from './sign-in/sign-in-token.entity.js';
import { SignInTokenRepository } from './sign-in/sign-in-token.repository.js';
import { WorkspaceBootstrapService } from './workspace-bootstrap.service.js';
import { WorkspaceEntity } from './workspace.entity.js';
import { WorkspaceStore } from './workspace.store.js';

/** The thread of the emergency stop uses these classes without Nest, so they have no decorators. */
const withoutDecorators: Provider[] = [
  {
    provide: KeyOwnerStore,
    inject: [Statements, ReservedStatements],
    useFactory: (statements: Statements, reserve: ReservedStatements) => new KeyOwnerStore(statements, reserve),
  },
  {
    provide: SessionOwnerStore,
    inject: [Statements, ReservedStatements],
    useFactory: (statements: Statements, reserve: ReservedStatements) => new SessionOwnerStore(statements, reserve),
  },
  { provide: ApiKeyCacheService, inject: [Clock], useFactory: (clock: Clock) => new ApiKeyCacheService(clock) },
  {
    provide: ApiKeyAuthenticationService,
    inject: [KeyOwnerStore, ApiKeyCacheService, Clock],
    useFactory: (keys: KeyOwnerStore, cache: ApiKeyCacheService, clock: Clock) =>
      new ApiKeyAuthenticationService(keys, cache, clock),
  },
  {
    provide: SessionAuthenticationService,
    inject: [SessionOwnerStore, ApiKeyCacheService, Clock],
    useFactory: (sessions: SessionOwnerStore, cache: ApiKeyCacheService, clock: Clock) =>
      new SessionAuthenticationService(sessions, cache, clock),
  },
  {
    provide: RefusalLogService,
    inject: [Statements],
    useFactory: (statements: Statements) => new RefusalLogService(statements),
  },
];

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
    ...withoutDecorators,
    WorkspaceStore,
    MemberRepository,
    ApiKeyRepository,
    AuditEventRepository,
    AuditLogService,
    FormerSecretStore,
    SessionRepository,
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
    KeyOwnerStore,
    ApiKeyRepository,
    MemberRepository,
    AuditEventRepository,
    SessionRepository,
    SignInTokenRepository,
    AuditLogService,
    RefusalLogService,
    FormerSecretStore,
  ],
})
export class WorkspaceModule {}
