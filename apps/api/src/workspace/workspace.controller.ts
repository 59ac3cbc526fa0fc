import { Controller, Get, Post } from '@nestjs/common';
import { WorkspaceResumption } from '@app/runs';
import { type Principal, Workspaces } from '@app/workspace';
import { AnyKey, RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  Me,
  presentMe,
  presentWorkspace,
  resumeOrder,
  ResumeWorkspaceBody,
  WorkspaceResource,
} from './workspace.api.js';

@Tag('Workspace')
@Controller('v1')
export class WorkspaceController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly resumption: WorkspaceResumption,
  ) {}

  @Get('me')
  @AnyKey()
  @Operation('On whose behalf this key acts, and what it may do', {
    200: { description: 'The member, the key and the workspace.', type: Me },
  })
  getMe(@CurrentPrincipal() principal: Principal): Me {
    return presentMe(principal);
  }

  @Get('workspace')
  @AnyKey()
  @Operation('The workspace of this key', { 200: { description: 'The workspace.', type: WorkspaceResource } })
  async getWorkspace(@CurrentPrincipal() { workspaceId }: Principal): Promise<WorkspaceResource> {
    return presentWorkspace(await this.workspaces.get(workspaceId));
  }

  @Post('workspace/resume')
  @RequireUrgently('workspace:stop', 'workspace.resume')
  @Operation('Let a stopped workspace go on', {
    description:
      'Suspended runs continue after their last recorded step; agents that were paused stay paused. A workspace that is not stopped stays as it is.',
    200: { description: 'The workspace, which is active.', type: WorkspaceResource },
  })
  async resumeWorkspace(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: ResumeWorkspaceBody,
  ): Promise<WorkspaceResource> {
    await this.resumption.resume(principal.workspaceId, resumeOrder(principal, body));
    return presentWorkspace(await this.workspaces.get(principal.workspaceId));
  }
}
