import { ApiHeader, ApiParam } from '@nestjs/swagger';
import {
  AGENT_ID,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { RunResource } from '../runs/run.dto.js';
import { TriggerEventResource, TriggerListResource } from './trigger.dto.js';

/** How the routes about triggers are described, by handler. */
export const TRIGGER_OPERATIONS = {
  list: Operation(
    {
      id: 'listTriggers',
      tag: 'Triggers',
      summary: "List an agent's triggers and how they are doing",
      description:
        'Those of the production version, in the order of its definition; they are few, so there is one page.',
      answers: [{ description: 'All triggers.', type: TriggerListResource }],
      problems: ['invalid_request', 'not_found'],
    },
    AGENT_ID,
  ),
  events: Operation(
    {
      id: 'listTriggerEvents',
      tag: 'Triggers',
      summary: 'What arrived for the triggers of an agent, and what became of it',
      answers: [{ description: 'One page of events.', type: TriggerEventResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    AGENT_ID,
  ),
  runNow: Operation(
    {
      id: 'runTriggerNow',
      tag: 'Triggers',
      summary: 'Start the run of a schedule now',
      description:
        'Also while the agent is paused, and whatever it overlaps with. The schedule goes on as before. A key of kind `test` starts a run ' +
        'in mode `test`.',
      answers: [
        {
          status: 202,
          description: 'Accepted.',
          type: RunResource,
          headers: { Location: 'The run.', ...REPLAYED_HEADER },
        },
      ],
      problems: [
        ...IDEMPOTENCY_PROBLEMS,
        'not_found',
        'agent_archived',
        'workspace_stopped',
        'input_invalid',
        'rate_limited',
      ],
    },
    AGENT_ID,
    ApiParam({ name: 'trigger_id', description: 'The schedule.', schema: { type: 'string' } }),
    ApiHeader(IDEMPOTENCY_HEADER),
  ),
};
