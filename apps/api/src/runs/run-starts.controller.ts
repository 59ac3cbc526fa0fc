import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RunIntake, RunReplays } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { BodyClaim, type ClaimOf, CurrentPrincipal, JsonBody, PathId } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentStart, replayRequest, StartBody, startRequest } from './run-starts.js';
import { ReplayRunBody, RunResource, StartRunBody } from './runs.api.js';

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
    private readonly intake: RunIntake,
    private readonly replays: RunReplays,
  ) {}

  @Post('agents/:id/runs')
  @RequireScopes('agents:run')
  @Operation('Start a run', {
    description:
      'Once this has answered, the run exists whatever happens to any process. Follow it with `GET /v1/runs/{id}`.',
    202: { description: 'Accepted.', type: RunResource, location: 'The run.' },
    problems: [...START_PROBLEMS, 'budget_exceeded'],
  })
  async startRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StartBody() body: StartRunBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.intake.start(startRequest(principal, agentId, body, claimOf)));
  }

  @Post('runs/:id/replay')
  // The answer shows the input of the run that is replayed, so its key must be able to read runs as well.
  @RequireScopes('agents:run', 'runs:read')
  @Operation('Run again what has run', {
    description:
      'A new run of the same agent with the same input, with `replay_of` and a trigger of type `replay`. The run that is replayed ' +
      'must have ended (else 422 `unknown_reference`). Steps whose results were taken over say `recorded: true` and ' +
      '`recorded_from` in the trace; policies are applied again, to them as well. In mode `production` approval steps are asked again, wherever ' +
      'they stand: an approval covers one execution.',
    202: {
      description: 'Accepted.',
      type: RunResource,
      location: 'The new run.',
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
    return presentStart(response, await this.replays.replay(replayRequest(principal, runId, body, claimOf)));
  }
}
