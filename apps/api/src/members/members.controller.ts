import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Members, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ChangeMemberBody, CreateMemberBody, MemberResource, presentMember } from './members.api.js';

@Tag('Workspace')
@Controller('v1/members')
export class MembersController {
  constructor(
    private readonly members: Members,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('members:manage')
  @Operation('List members', { 200: { description: 'One page of members.', page: MemberResource } })
  listMembers(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<MemberResource>> {
    const read = this.members.list.bind(this.members, workspaceId);
    return this.pages.answer(query, { list: 'members', workspaceId, read, present: presentMember });
  }

  @Post()
  @RequireScopes('members:manage')
  @Operation('Add a member', {
    201: { description: 'The member.', type: MemberResource, location: 'The member.' },
    problems: ['name_taken'],
  })
  async createMember(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { email, role }: CreateMemberBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberResource> {
    const { result: member } = answered(
      response,
      await this.members.create(actor, email, role, claimOf({ email, role })),
    );
    return created(response, `/v1/members/${member.id}`, presentMember(member));
  }

  @Get(':id')
  @RequireScopes('members:manage')
  @Operation('A member', { 200: { description: 'The member.', type: MemberResource } })
  async getMember(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<MemberResource> {
    return presentMember(await this.members.get(actor.workspaceId, id));
  }

  @Patch(':id')
  @RequireScopes('members:manage')
  @Operation("Change a member's role", {
    description: 'Their keys may do no more than the new role, at once (in a fleet within 10 seconds).',
    200: { description: 'The member.', type: MemberResource },
    problems: ['last_admin'],
  })
  async changeMember(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'member') id: string,
    @JsonBody() { role }: ChangeMemberBody,
  ): Promise<MemberResource> {
    return presentMember(await this.members.changeRole(actor, id, role));
  }

  @Delete(':id')
  @RequireScopes('members:manage')
  @Operation('Remove a member', {
    description: 'With their keys, which are dead at once (in a fleet within 10 seconds), and from every group.',
    204: { description: 'Removed.' },
    problems: ['last_admin'],
  })
  removeMember(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<void> {
    return this.members.remove(actor, id);
  }
}
