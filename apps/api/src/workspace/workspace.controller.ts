import { Controller, Get, Post } from '@nestjs/common';
import { WorkspaceResumptionService } from '@app/runs';
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
    private readonly resumption: WorkspaceResumptionService,
  ) {}

  @Get('me')
  @AnyKey()
  @Operation('Get the identity of the key', {
    description: 'Returns the member, role and scopes of the calling key, and its workspace.',
    200: { description: 'The member, the key and the workspace.', type: Me },
  })
  getMe(@CurrentPrincipal() principal: Principal): Me {
    return presentMe(principal);
  }

  @Get('workspace')
  @AnyKey()
  @Operation('Get the workspace', {
    description: 'Returns the workspace of the key, and whether it is stopped.',
    200: { description: 'The workspace.', type: WorkspaceResource },
  })
  async getWorkspace(@CurrentPrincipal() { workspaceId }: Principal): Promise<WorkspaceResource> {
    return presentWorkspace(await this.workspaces.get(workspaceId));
  }

  @Post('workspace/resume')
  @RequireUrgently('workspace:stop', 'workspace.resume')
  @Operation('Resume the workspace', {
    description:
      'Ends the emergency stop. Suspended runs continue after their last recorded step; paused agents stay paused. A workspace that is not stopped is returned unchanged. The resume is recorded in the audit log.',
    200: { description: 'The workspace, which is active.', type: WorkspaceResource },
  })
  async resumeWorkspace(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: ResumeWorkspaceBody,
  ): Promise<WorkspaceResource> {
    await this.resumption.resumeWorkspace(principal.workspaceId, resumeOrder(principal, body));
    return presentWorkspace(await this.workspaces.get(principal.workspaceId));
  }
}
