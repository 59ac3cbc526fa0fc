import { Controller, HttpCode, Post } from '@nestjs/common';
import { EmergencyStop } from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import { RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { type EmergencyStopResource, StopWorkspaceBody } from './emergency-stop.dto.js';
import { EMERGENCY_STOP_OPERATIONS } from './emergency-stop.operations.js';
import { presentStop, stopOrder } from './emergency-stop.presenter.js';

/** Part of the api and of its stop listener, which serves the route when the event loop of the api is busy. */
@Controller('v1/workspace')
export class EmergencyStopController {
  constructor(private readonly emergencyStop: EmergencyStop) {}

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
}
