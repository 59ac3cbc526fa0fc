import { ApiHeader } from '@nestjs/swagger';
import {
  AGENT_ID,
  ApiDefinitionBody,
  DEFINITION_PROBLEMS,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
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
      problems: [
        ...DEFINITION_PROBLEMS,
        ...INVALID_DEFINITION,
        ...IDEMPOTENCY_PROBLEMS,
        'name_taken',
        'unknown_reference',
      ],
    },
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiDefinitionBody(),
  ),
  get: Operation(
    {
      id: 'getAgent',
      tag: 'Agents',
      summary: 'An agent',
      answers: [{ description: 'The agent.', type: AgentResource }],
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
      answers: [{ description: 'The agent.', type: AgentResource }],
      problems: ['not_found', 'agent_archived'],
    },
    AGENT_ID,
  ),
  resume: Operation(
    {
      id: 'resumeAgent',
      tag: 'Agents',
      summary: "Start an agent's triggers again",
      description: 'Resuming an active agent changes nothing.',
      answers: [{ description: 'The agent.', type: AgentResource }],
      problems: ['not_found', 'agent_archived'],
    },
    AGENT_ID,
  ),
};
