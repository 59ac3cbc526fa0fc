import { Controller, Post } from '@nestjs/common';
import { EmergencyStopService } from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import { RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, CurrentRequest, jsonInput } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { EmergencyStopResource, StopWorkspaceBody } from './emergency-stop.api.js';
import { presentStop } from './emergency-stop.view.js';
import { readStopBody, STOP_ACCESS, type StopBody, stopOrder } from './stop-request.js';

/**
 * The thread of the stop listener serves the same operation, even while the event loop of the API is blocked. It shares
 * everything except Nest: the check of the caller, the body, the stop and the response.
 */
@Tag('Workspace')
@Controller('v1/workspace')
export class EmergencyStopController {
  constructor(private readonly emergencyStop: EmergencyStopService) {}

  @Post('emergency-stop')
  @RequireUrgently(...STOP_ACCESS)
  @Operation('Stop the workspace', {
    description:
      'Stops the workspace. After the response, no process begins a tool call until the workspace is resumed. Each call that had begun before has ended or is listed in `in_flight`. While the workspace is stopped, the caller can still read resources, cancel runs and reject approvals. The time limits of approvals and of queued runs are paused. A repeated stop returns the same `epoch`.',
    200: { description: 'The workspace is stopped.', type: EmergencyStopResource },
  })
  async stopWorkspace(
    @CurrentPrincipal() principal: Principal,
    @CurrentRequest(jsonInput(StopWorkspaceBody, false), { transform: readStopBody }) body: StopBody,
  ): Promise<EmergencyStopResource> {
    return presentStop(await this.emergencyStop.stopWorkspace(principal.workspaceId, stopOrder(principal, body)));
  }
}
