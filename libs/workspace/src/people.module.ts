import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GroupEntity } from './group.entity.js';
import { GroupRepository } from './group.repository.js';
import { GroupsService } from './groups.service.js';
import { IdempotencyModule } from './idempotency.module.js';
import { MembersService } from './members.service.js';
import { SavedViewEntity } from './saved-view.entity.js';
import { SavedViewRepository } from './saved-view.repository.js';
import { SavedViewsService } from './saved-views.service.js';
import { WorkspaceModule } from './workspace.module.js';

/**
 * It is separate from WorkspaceModule, because it needs the encryption key (for the stored responses of repeated
 * requests), which the operator commands do not have.
 */
@Module({
  imports: [TypeOrmModule.forFeature([GroupEntity, SavedViewEntity]), WorkspaceModule, IdempotencyModule],
  providers: [GroupRepository, MembersService, GroupsService, SavedViewRepository, SavedViewsService],
  exports: [MembersService, GroupsService, SavedViewsService],
})
export class PeopleModule {}
