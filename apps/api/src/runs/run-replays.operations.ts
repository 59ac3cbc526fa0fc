import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_HEADER, IDEMPOTENCY_PROBLEMS, JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { RunResource } from './run.dto.js';
import { RUN_ID } from './run.operations.js';
import { ReplayRunBody } from './run-replay.dto.js';

/** How replaying is described. */
export const RUN_REPLAY_OPERATIONS = {
  replay: Operation(
    {
      id: 'replayRun',
      tag: 'Runs',
      summary: 'Run again what has run',
      description:
        'A new run of the same agent with the same input, with `replay_of` and a trigger of type `replay`. The run that is replayed ' +
        'must have ended (else 422 `unknown_reference`). Steps whose results were taken over say `recorded: true` and ' +
        '`recorded_from` in the trace; policies are applied again, to them as well. In mode `production` approval steps are asked again, wherever ' +
        'they stand: an approval covers one execution.',
      answers: [
        {
          status: 202,
          description: 'Accepted.',
          type: RunResource,
          headers: {
            Location: 'The new run.',
            'Idempotent-Replayed': '`true` where this request had been answered before.',
          },
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
      ],
    },
    RUN_ID,
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiBody({ type: ReplayRunBody, required: true }),
  ),
};
