import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { RunIntakeService, RunReplaysService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { BodyClaim, type ClaimOf, CurrentPrincipal, JsonBody, PathId, PreferWait } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { QUEUED_RUN_EXAMPLE } from '../openapi/schema-examples.js';
import { Operation, Tag } from '../openapi/operation.js';
import { draftRequest, presentStart, replayRequest } from './run-starts.js';
import { RunWaitsService } from './run-waits.service.js';
import { ReplayRunBody, RunResource, StartDraftRunBody, StartRunBody } from './runs.api.js';
import { FormStartsService } from './form-starts.service.js';
import { DraftBody, StartBody, StartForm } from './start-body.pipe.js';

const WAIT =
  '`wait=<seconds>`, with 1 to 60 seconds, waits for the end of the run. The response header `Preference-Applied` ' +
  'shows that the call waited. Requires the scope `runs:read`; without it, and for any other preference, the header is ' +
  'ignored.';

const START_PROBLEMS = [
  ...IDEMPOTENCY_PROBLEMS,
  'test_key_production_mode',
  'agent_archived',
  'workspace_stopped',
  'input_invalid',
  'unknown_reference',
  'rate_limited',
  'evaluation_required',
  'evaluation_in_progress',
  'gate_failed',
  'gate_inconclusive',
] as const;

const GREETER_RUN_EXAMPLE = { agent_name: 'greeter', input: { name: 'Ada' }, labels: {} };

@Tag('Runs')
@Controller('v1')
export class RunStartsController {
  constructor(
    private readonly intake: RunIntakeService,
    private readonly forms: FormStartsService,
    private readonly replays: RunReplaysService,
    private readonly waits: RunWaitsService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Post('agents/:id/runs')
  @RequireScopes('agents:run')
  @Operation('Start a run', {
    description:
      'Starts a run of the production version, or of `version`. When the call returns, the run is stored and will be ' +
      'executed even if a process fails. Poll `GET /v1/runs/{id}` or follow `GET /v1/runs/{id}/events`. The call also ' +
      'starts runs of a paused agent. In mode `production`, a version that was never promoted needs the scope ' +
      '`agents:promote`, and an evaluation that lets it be promoted if it has a gate. The call is rejected with 409 if the agent is archived or the workspace is stopped, ' +
      'and with 429 if a queue is full or a budget is used up.',
    202: {
      description: 'The accepted run. With `Prefer: wait`, the run as it is when the waiting time is over.',
      type: RunResource,
      example: { ...QUEUED_RUN_EXAMPLE, ...GREETER_RUN_EXAMPLE },
      location: 'Address of the run.',
    },
    200: {
      description: 'The run, which ended within the time of `Prefer: wait`.',
      type: RunResource,
      example: {
        ...GREETER_RUN_EXAMPLE,
        output: { greeting: 'Hello Ada' },
        ended_at: '2026-01-31T08:00:00.140Z',
        duration_ms: 140,
        cost: { amount: '0.00', currency: 'EUR' },
      },
      location: 'Address of the run.',
    },
    problems: [...START_PROBLEMS, 'budget_exceeded', 'file_too_large', 'file_quota_exceeded', 'file_refused'],
  })
  async startRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StartBody() body: StartRunBody | StartForm,
    @BodyClaim() claimOf: ClaimOf,
    @PreferWait(WAIT) wait: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    const started = await this.forms.start(principal, agentId, body, claimOf);
    return this.waits.respond(response, { principal, started, seconds: wait });
  }

  @Post('definitions/runs')
  // The definition in the body decides what the run calls, so the caller also needs the scope to create agents.
  @RequireScopes('agents:write', 'agents:run')
  @Operation('Run a definition', {
    description:
      'Starts a run of the definition in the body, in mode `test`, without creating a permanent agent. The definition is ' +
      'checked in the same way as when an agent is created. The run can be read, followed and cancelled like any other ' +
      'run. It belongs to a temporary archived agent, which is in no list, occupies no name, and accepts no changes and no ' +
      'other runs. The run and this agent are deleted after 24 hours. A run that has not ended by then is cancelled first. ' +
      'A key that is narrowed to agents reads the draft runs that it started. It cannot run a definition that uses secrets, ' +
      'connections, knowledge, agents or the state of the workspace.',
    202: {
      description: 'The accepted run.',
      type: RunResource,
      example: { ...QUEUED_RUN_EXAMPLE, ...GREETER_RUN_EXAMPLE, version: 1, mode: 'test' },
      location: 'Address of the run.',
    },
    problems: [
      ...IDEMPOTENCY_PROBLEMS,
      'workspace_stopped',
      'definition_invalid',
      'invalid_yaml',
      'input_invalid',
      'budget_exceeded',
      'draft_secret_forbidden',
    ],
  })
  async startDraftRun(
    @CurrentPrincipal() principal: Principal,
    @DraftBody() body: StartDraftRunBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    const started = await this.intake.startDraft(draftRequest(principal, body, claimOf));
    return presentStart(response, started, this.address.consoleUrl);
  }

  @Post('runs/:id/replay')
  // The response contains the input of the replayed run, so the caller also needs the scope to read runs.
  @RequireScopes('agents:run', 'runs:read')
  @Operation('Replay a run', {
    description:
      'Starts a new run of the same agent with the same input. Its `replay_of` is the id of the replayed run, ' +
      'and its trigger has the type `replay`. The replayed run must have ended, and recorded results must still be stored; otherwise the call is rejected ' +
      'with 422 `unknown_reference`. It is also rejected so if the mode is `production` and the replay would use results of a ' +
      'run in mode `test`. Steps that use a recorded result have `recorded: true` and ' +
      '`recorded_from` in the trace; policies apply to them again. In mode `production`, approvals are ' +
      'requested again, except for copied calls that people approved in the replayed run, and a version that was ' +
      'never promoted needs the scope `agents:promote` and an open gate.',
    202: {
      description: 'The accepted run.',
      type: RunResource,
      example: {
        ...QUEUED_RUN_EXAMPLE,
        mode: 'test',
        trigger: { type: 'replay', run: 'run_01kahzvk3te9d8q6f0f1v3m2sw', tool_results: 'recorded', from_step: null },
        replay_of: 'run_01kahzvk3te9d8q6f0f1v3m2sw',
      },
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
    const started = await this.replays.replayRun(replayRequest(principal, runId, body, claimOf));
    return presentStart(response, started, this.address.consoleUrl);
  }
}
