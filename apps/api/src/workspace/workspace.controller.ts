import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { WorkspaceResumption } from '@app/runs';
import { type Principal, Workspaces } from '@app/workspace';
import { AnyKey, RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { type Me, ResumeWorkspaceBody, type WorkspaceResource } from './workspace.dto.js';
import { WORKSPACE_OPERATIONS } from './workspace.operations.js';
import { presentMe, presentWorkspace, resumeOrder } from './workspace.presenter.js';

@Controller('v1')
export class WorkspaceController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly resumption: WorkspaceResumption,
  ) {}

  @Get('me')
  @AnyKey()
  @WORKSPACE_OPERATIONS.me
  me(@CurrentPrincipal() principal: Principal): Me {
    return presentMe(principal);
  }

  @Get('workspace')
  @AnyKey()
  @WORKSPACE_OPERATIONS.get
  async get(@CurrentPrincipal() { workspaceId }: Principal): Promise<WorkspaceResource> {
    return presentWorkspace(await this.workspaces.get(workspaceId));
  }

  @Post('workspace/resume')
  @HttpCode(200)
  @RequireUrgently('workspace:stop', 'workspace.resume')
  @WORKSPACE_OPERATIONS.resume
  async resume(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: ResumeWorkspaceBody,
  ): Promise<WorkspaceResource> {
    await this.resumption.resume(principal.workspaceId, resumeOrder(principal, body));
    return presentWorkspace(await this.workspaces.get(principal.workspaceId));
  }
}
