import { Controller, Post } from '@nestjs/common';
import { EmergencyStop } from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import { RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { EmergencyStopResource, presentStop, stopOrder, StopWorkspaceBody } from './emergency-stop.api.js';

/** Part of the api and of its stop listener, which serves the route when the event loop of the api is busy. */
@Tag('Workspace')
@Controller('v1/workspace')
export class EmergencyStopController {
  constructor(private readonly emergencyStop: EmergencyStop) {}

  @Post('emergency-stop')
  @RequireUrgently('workspace:stop', 'workspace.stop')
  @Operation('Stop every agent of the workspace', {
    description:
      'When it has answered, no tool call begins anywhere until the resume, and every call that had begun has answered or stands in `in_flight`. Reading, cancelling and rejecting work while stopped; clocks of approvals and of the queue stand still. Repeating it answers the same epoch.',
    200: { description: 'The workspace is stopped, also where it was before.', type: EmergencyStopResource },
  })
  async stopWorkspace(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: StopWorkspaceBody,
  ): Promise<EmergencyStopResource> {
    return presentStop(await this.emergencyStop.stop(principal.workspaceId, stopOrder(principal, body)));
  }
}
