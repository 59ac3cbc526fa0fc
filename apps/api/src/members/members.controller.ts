import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { InvitationsService, MembersService, type Principal } from '@app/workspace';
import { RequireLive, RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ChangeMemberBody,
  CreateMemberBody,
  InvitationResource,
  MemberResource,
  presentInvitation,
  presentMember,
} from './members.api.js';

@Tag('Workspace')
@Controller('v1/members')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly invitations: InvitationsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('members:manage')
  @Operation('List members', {
    description: 'Lists the members of the workspace.',
    200: { description: 'One page of members.', page: MemberResource },
  })
  listMembers(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<MemberResource>> {
    const read = this.members.list.bind(this.members, workspaceId);
    return this.pages.answer(query, { list: 'members', workspaceId, read, present: presentMember });
  }

  @Post()
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Add a member', {
    description:
      'Adds a person by e-mail address. If the address already belongs to a member, the call is rejected with 409 `name_taken`; if a group does not exist, with 422 `unknown_reference`. The service sends no e-mail: `POST /v1/members/{id}/invitations` creates a link for the first sign-in.',
    201: { description: 'The new member.', type: MemberResource, location: 'Address of the member.' },
    problems: ['name_taken', 'unknown_reference'],
  })
  async createMember(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { email: address, role, groups = [] }: CreateMemberBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberResource> {
    // Requests without groups have the content that they had before members could join groups.
    const claim = claimOf({ email: address, role, ...(groups.length > 0 && { groups }) });
    const { result: member } = answered(response, await this.members.create(actor, { address, role, groups }, claim));
    return created(response, `/v1/members/${member.id}`, presentMember(member));
  }

  @Get(':id')
  @RequireScopes('members:manage')
  @Operation('Get a member', {
    description: 'Returns one member.',
    200: { description: 'The member.', type: MemberResource },
  })
  async getMember(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<MemberResource> {
    return presentMember(await this.members.get(actor.workspaceId, id));
  }

  @Patch(':id')
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Change the role of a member', {
    description:
      'Changes the role of the member. The new role also limits all keys of the member at once (with several API processes, within 10 seconds). The last admin cannot be changed to another role (409 `last_admin`).',
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
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Remove a member', {
    description:
      'Removes the member from the workspace and from every group, and revokes their keys at once (with several API processes, within 10 seconds). The last admin cannot be removed (409 `last_admin`).',
    204: { description: 'The member is removed.' },
    problems: ['last_admin'],
  })
  removeMember(@CurrentPrincipal() actor: Principal, @PathId('id', 'member') id: string): Promise<void> {
    return this.members.remove(actor, id);
  }

  @Post(':id/invitations')
  @RequireScopes('members:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Invite a member', {
    description:
      'Creates a link with which the member can sign in once within 7 days. If the installation has a mail relay, the link is also sent by e-mail. The previous invitation becomes invalid.',
    201: { description: 'The invitation.', type: InvitationResource },
  })
  async inviteMember(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'member') id: string,
  ): Promise<InvitationResource> {
    return presentInvitation(await this.invitations.invite(actor, id));
  }
}
