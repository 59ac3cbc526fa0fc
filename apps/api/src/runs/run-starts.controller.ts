import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RunIntakeService, RunReplaysService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { BodyClaim, type ClaimOf, CurrentPrincipal, JsonBody, PathId } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentStart, replayRequest, startRequest } from './run-starts.js';
import { ReplayRunBody, RunResource, StartRunBody } from './runs.api.js';
import { StartBody } from './start-body.pipe.js';

const START_PROBLEMS = [
  ...IDEMPOTENCY_PROBLEMS,
  'test_key_production_mode',
  'agent_archived',
  'workspace_stopped',
  'input_invalid',
  'unknown_reference',
  'rate_limited',
] as const;

@Tag('Runs')
@Controller('v1')
export class RunStartsController {
  constructor(
    private readonly intake: RunIntakeService,
    private readonly replays: RunReplaysService,
  ) {}

  @Post('agents/:id/runs')
  @RequireScopes('agents:run')
  @Operation('Start a run', {
    description:
      'Starts a run of the production version, or of `version`. When the call returns, the run is stored and will be executed even ' +
      'if a process fails. Poll `GET /v1/runs/{id}` or follow `GET /v1/runs/{id}/events`. A paused agent can be started; an ' +
      'archived agent and a stopped workspace are refused with 409.',
    202: { description: 'The accepted run.', type: RunResource, location: 'Address of the run.' },
    problems: [...START_PROBLEMS, 'budget_exceeded'],
  })
  async startRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StartBody() body: StartRunBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.intake.startRun(startRequest(principal, agentId, body, claimOf)));
  }

  @Post('runs/:id/replay')
  // The response contains the input of the replayed run, so the key also needs the scope to read runs.
  @RequireScopes('agents:run', 'runs:read')
  @Operation('Replay a run', {
    description:
      'Starts a new run of the same agent with the same input; it has `replay_of` and a trigger of type `replay`. The replayed run must ' +
      'have ended, else the call is refused with 422 `unknown_reference`. Steps that use a recorded result have `recorded: true` and ' +
      '`recorded_from` in the trace; policies apply to them again. In mode `production`, approvals are requested again, because an ' +
      'approval covers one execution.',
    202: {
      description: 'The accepted run.',
      type: RunResource,
      location: 'Address of the new run.',
    },
    problems: START_PROBLEMS,
  })
  async replayRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @JsonBody() body: ReplayRunBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.replays.replayRun(replayRequest(principal, runId, body, claimOf)));
  }
}
