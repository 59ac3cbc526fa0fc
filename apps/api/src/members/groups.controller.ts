import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Groups, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathName,
  QueryParameters,
} from '../http/request-decorators.js';
import { ChangeGroupBody, CreateGroupBody, type GroupResource } from './member.dto.js';
import { GROUP_OPERATIONS } from './member.operations.js';
import { presentGroup } from './member.presenter.js';

@Controller('v1/groups')
export class GroupsController {
  constructor(
    private readonly groups: Groups,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('members:manage')
  @GROUP_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<GroupResource>> {
    const read = this.groups.list.bind(this.groups, workspaceId);
    return this.pages.answer(query, { list: 'groups by creation', workspaceId, read, present: presentGroup });
  }

  @Post()
  @RequireScopes('members:manage')
  @GROUP_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { name, members }: CreateGroupBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<GroupResource> {
    const group = answered(response, await this.groups.create(actor, name, members, claimOf({ name, members })));
    return created(response, `/v1/groups/${encodeURIComponent(name)}`, presentGroup(group));
  }

  @Get(':name')
  @RequireScopes('members:manage')
  @GROUP_OPERATIONS.get
  async get(@CurrentPrincipal() actor: Principal, @PathName('name', 'group') name: string): Promise<GroupResource> {
    return presentGroup(await this.groups.get(actor.workspaceId, name));
  }

  @Patch(':name')
  @RequireScopes('members:manage')
  @GROUP_OPERATIONS.change
  async change(
    @CurrentPrincipal() actor: Principal,
    @PathName('name', 'group') name: string,
    @JsonBody() { members }: ChangeGroupBody,
  ): Promise<GroupResource> {
    return presentGroup(await this.groups.replaceMembers(actor, name, members));
  }

  @Delete(':name')
  @HttpCode(204)
  @RequireScopes('members:manage')
  @GROUP_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @PathName('name', 'group') name: string): Promise<void> {
    return this.groups.delete(actor, name);
  }
}
