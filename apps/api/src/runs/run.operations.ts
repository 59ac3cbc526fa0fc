import { ApiBody, ApiHeader, ApiParam } from '@nestjs/swagger';
import {
  AGENT_ID,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  JSON_BODY_PROBLEMS,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { CancelRunBody, RunResource, StartRunBody } from './run.dto.js';
import { TraceResource } from './trace.dto.js';

export const RUN_ID = ApiParam({ name: 'id', description: 'The run.', schema: { type: 'string' } });

/** How the routes of runs are described, by handler. */
export const RUN_OPERATIONS = {
  start: Operation(
    {
      id: 'startRun',
      tag: 'Runs',
      summary: 'Start a run',
      description:
        'Once this has answered, the run exists whatever happens to any process. Follow it with `GET /v1/runs/{id}`.',
      answers: [
        {
          status: 202,
          description: 'Accepted.',
          type: RunResource,
          headers: { Location: 'The run.', ...REPLAYED_HEADER },
        },
      ],
      problems: [
        ...JSON_BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        'not_found',
        'test_key_production_mode',
        'agent_archived',
        'workspace_stopped',
        'input_invalid',
        'unknown_reference',
        'rate_limited',
        'budget_exceeded',
      ],
    },
    AGENT_ID,
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiBody({ type: StartRunBody, required: true }),
  ),
  list: Operation({
    id: 'listRuns',
    tag: 'Runs',
    summary: 'List runs',
    answers: [{ description: 'One page of runs.', type: RunResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  get: Operation(
    {
      id: 'getRun',
      tag: 'Runs',
      summary: 'A run',
      answers: [{ description: 'The run.', type: RunResource }],
      problems: ['invalid_request', 'admin_required', 'not_found'],
    },
    RUN_ID,
  ),
  trace: Operation(
    {
      id: 'getRunTrace',
      tag: 'Runs',
      summary: 'What a run has done so far',
      answers: [{ description: 'The steps, in order.', type: TraceResource }],
      problems: ['invalid_request', 'admin_required', 'not_found'],
    },
    RUN_ID,
  ),
  cancel: Operation(
    {
      id: 'cancelRun',
      tag: 'Runs',
      summary: 'Cancel a run that has not ended',
      description: 'Nothing further is dispatched; a write that had been sent is recorded with its outcome.',
      answers: [{ description: 'The cancelled run, also where it was cancelled before.', type: RunResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'run_not_cancellable'],
    },
    RUN_ID,
    ApiBody({ type: CancelRunBody, required: false }),
  ),
};
