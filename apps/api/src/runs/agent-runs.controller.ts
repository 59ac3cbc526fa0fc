import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RunIntake } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, CurrentRequest, IdempotencyKey, PathId } from '../http/request-decorators.js';
import type { RunResource, StartRunBody } from './run.dto.js';
import { RUN_OPERATIONS } from './run.operations.js';
import { presentStart } from './run.presenter.js';
import { startRequest } from './run-requests.js';
import { StartBodyPipe } from './start-body.js';

@Controller('v1/agents/:id/runs')
export class AgentRunsController {
  constructor(private readonly intake: RunIntake) {}

  @Post()
  @RequireScopes('agents:run')
  @RUN_OPERATIONS.start
  async start(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @CurrentRequest(StartBodyPipe) body: StartRunBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.intake.start(startRequest(principal, agentId, body, key)));
  }
}
