import { Controller, HttpCode, Post } from '@nestjs/common';
import { EmergencyStop } from '@app/runs';
import { type Principal, Workspaces } from '@app/workspace';
import { RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { type EmergencyStopResource, ResumeWorkspaceBody, StopWorkspaceBody } from './emergency-stop.dto.js';
import { EMERGENCY_STOP_OPERATIONS } from './emergency-stop.operations.js';
import { presentStop, resumeOrder, stopOrder } from './emergency-stop.presenter.js';
import type { WorkspaceResource } from './workspace.dto.js';
import { presentWorkspace } from './workspace.presenter.js';

@Controller('v1/workspace')
export class EmergencyStopController {
  constructor(
    private readonly emergencyStop: EmergencyStop,
    private readonly workspaces: Workspaces,
  ) {}

  @Post('emergency-stop')
  @HttpCode(200)
  @RequireUrgently('workspace:stop', 'workspace.stop')
  @EMERGENCY_STOP_OPERATIONS.stop
  async stop(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: StopWorkspaceBody,
  ): Promise<EmergencyStopResource> {
    return presentStop(await this.emergencyStop.stop(principal.workspaceId, stopOrder(principal, body)));
  }

  @Post('resume')
  @HttpCode(200)
  @RequireUrgently('workspace:stop', 'workspace.resume')
  @EMERGENCY_STOP_OPERATIONS.resume
  async resume(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: ResumeWorkspaceBody,
  ): Promise<WorkspaceResource> {
    await this.emergencyStop.resume(principal.workspaceId, resumeOrder(principal, body));
    return presentWorkspace(await this.workspaces.get(principal.workspaceId));
  }
}
