import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RunReplays } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, IdempotencyKey, JsonBody, PathId } from '../http/request-decorators.js';
import type { RunResource } from './run.dto.js';
import { presentStart } from './run.presenter.js';
import { ReplayRunBody } from './run-replay.dto.js';
import { RUN_REPLAY_OPERATIONS } from './run-replays.operations.js';
import { replayRequest } from './run-requests.js';

@Controller('v1/runs/:id/replay')
export class RunReplaysController {
  constructor(private readonly replays: RunReplays) {}

  @Post()
  // The answer shows the input of the run that is replayed, so its key must be able to read runs as well.
  @RequireScopes('agents:run', 'runs:read')
  @RUN_REPLAY_OPERATIONS.replay
  async replay(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') runId: string,
    @JsonBody() body: ReplayRunBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.replays.replay(replayRequest(principal, runId, body, key)));
  }
}
