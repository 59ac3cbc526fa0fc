import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { GroupsService, type Principal } from '@app/workspace';
import { RequireLive, RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathName,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ChangeGroupBody, CreateGroupBody, GroupResource, presentGroup } from './groups.api.js';

@Tag('Workspace')
@Controller('v1/groups')
export class GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('members:manage')
  @Operation('List groups', {
    description: 'Lists the groups with their members.',
    200: { description: 'One page of groups.', page: GroupResource },
  })
  listGroups(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<GroupResource>> {
    const read = this.groups.list.bind(this.groups, workspaceId);
    return this.pages.answer(query, { list: 'groups by creation', workspaceId, read, present: presentGroup });
  }

  @Post()
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Create a group', {
    description:
      'Creates a group. Definitions use groups as approvers; knowledge bases use them as readers. If an address does not ' +
      'belong to a member, the call is rejected with 422 `unknown_reference`.',
    201: { description: 'The new group.', type: GroupResource, location: 'Address of the group.' },
    problems: ['name_taken', 'unknown_reference'],
  })
  async createGroup(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { name, members }: CreateGroupBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<GroupResource> {
    const made = answered(response, await this.groups.create(actor, name, members, claimOf({ name, members })));
    return created(response, `/v1/groups/${encodeURIComponent(name)}`, presentGroup(made.result));
  }

  @Get(':name')
  @RequireScopes('members:manage')
  @Operation('Get a group', {
    description: 'Returns one group with its members.',
    200: { description: 'The group.', type: GroupResource },
  })
  async getGroup(
    @CurrentPrincipal() actor: Principal,
    @PathName('name', 'group') name: string,
  ): Promise<GroupResource> {
    return presentGroup(await this.groups.get(actor.workspaceId, name));
  }

  @Patch(':name')
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Replace the members of a group', {
    description:
      'Replaces all members of the group. Approval decisions and knowledge searches that begin afterwards use the ' +
      'new members.',
    200: { description: 'The group.', type: GroupResource },
    problems: ['unknown_reference'],
  })
  async changeGroup(
    @CurrentPrincipal() actor: Principal,
    @PathName('name', 'group') name: string,
    @JsonBody() { members }: ChangeGroupBody,
  ): Promise<GroupResource> {
    return presentGroup(await this.groups.replaceMembers(actor, name, members));
  }

  @Delete(':name')
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Delete a group', {
    description:
      'Deletes the group. Definitions and access lists that contain the group keep its name, but the name no longer matches any member.',
    204: { description: 'The group is deleted.' },
  })
  deleteGroup(@CurrentPrincipal() actor: Principal, @PathName('name', 'group') name: string): Promise<void> {
    return this.groups.delete(actor, name);
  }
}
