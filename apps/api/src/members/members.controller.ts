import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Members, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { ChangeMemberBody, CreateMemberBody, type MemberResource } from './member.dto.js';
import { MEMBER_OPERATIONS } from './member.operations.js';
import { presentMember } from './member.presenter.js';

@Controller('v1/members')
export class MembersController {
  constructor(
    private readonly members: Members,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('members:manage')
  @MEMBER_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<MemberResource>> {
    const read = this.members.list.bind(this.members, workspaceId);
    return this.pages.answer(query, { list: 'members', workspaceId, read, present: presentMember });
  }

  @Post()
  @RequireScopes('members:manage')
  @MEMBER_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { email, role }: CreateMemberBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberResource> {
    const member = answered(response, await this.members.create(actor, email, role, claimOf({ email, role })));
    return created(response, `/v1/members/${member.id}`, presentMember(member));
  }

  @Get(':id')
  @RequireScopes('members:manage')
  @MEMBER_OPERATIONS.get
  async get(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<MemberResource> {
    return presentMember(await this.members.get(actor.workspaceId, id));
  }

  @Patch(':id')
  @RequireScopes('members:manage')
  @MEMBER_OPERATIONS.change
  async change(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'member') id: string,
    @JsonBody() { role }: ChangeMemberBody,
  ): Promise<MemberResource> {
    return presentMember(await this.members.changeRole(actor, id, role));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('members:manage')
  @MEMBER_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<void> {
    return this.members.remove(actor, id);
  }
}
