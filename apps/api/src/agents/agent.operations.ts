import { ApiHeader } from '@nestjs/swagger';
import {
  AGENT_ID,
  ApiDefinitionBody,
  DEFINITION_PROBLEMS,
  ETAG_HEADER,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  IF_MATCH_HEADER,
  INVALID_DEFINITION,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { AgentResource, CreatedAgentResource } from './agent.dto.js';

/** How the routes of agents are described, by handler. */
export const AGENT_OPERATIONS = {
  list: Operation({
    id: 'listAgents',
    tag: 'Agents',
    summary: 'List agents',
    answers: [{ description: 'One page of agents.', type: AgentResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createAgent',
      tag: 'Agents',
      summary: 'Create an agent',
      description: 'Its definition becomes version 1, which is the production version.',
      answers: [
        {
          status: 201,
          description: 'The agent.',
          type: CreatedAgentResource,
          headers: { Location: 'The agent.', ...REPLAYED_HEADER },
        },
      ],
      problems: [...DEFINITION_PROBLEMS, ...INVALID_DEFINITION, ...IDEMPOTENCY_PROBLEMS, 'name_taken'],
    },
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiDefinitionBody(),
  ),
  get: Operation(
    {
      id: 'getAgent',
      tag: 'Agents',
      summary: 'An agent',
      answers: [{ description: 'The agent.', type: AgentResource, headers: ETAG_HEADER }],
      problems: ['not_found'],
    },
    AGENT_ID,
  ),
  pause: Operation(
    {
      id: 'pauseAgent',
      tag: 'Agents',
      summary: "Stop an agent's triggers",
      description: 'Starting a run by API still works. Pausing a paused agent changes nothing.',
      answers: [{ description: 'The agent.', type: AgentResource, headers: ETAG_HEADER }],
      problems: ['not_found', 'agent_archived', 'precondition_failed'],
    },
    AGENT_ID,
    ApiHeader(IF_MATCH_HEADER),
  ),
  resume: Operation(
    {
      id: 'resumeAgent',
      tag: 'Agents',
      summary: "Start an agent's triggers again",
      description: 'Resuming an active agent changes nothing.',
      answers: [{ description: 'The agent.', type: AgentResource, headers: ETAG_HEADER }],
      problems: ['not_found', 'agent_archived', 'precondition_failed'],
    },
    AGENT_ID,
    ApiHeader(IF_MATCH_HEADER),
  ),
  archive: Operation(
    {
      id: 'archiveAgent',
      tag: 'Agents',
      summary: 'Archive an agent',
      description:
        'It stays readable and starts nothing any more; its name is free again. Runs that no worker has begun and evaluations are ' +
        'cancelled, runs that have begun go on to their end. Archiving an archived agent changes nothing.',
      answers: [{ description: 'The agent.', type: AgentResource, headers: ETAG_HEADER }],
      problems: ['not_found', 'precondition_failed'],
    },
    AGENT_ID,
    ApiHeader(IF_MATCH_HEADER),
  ),
};
