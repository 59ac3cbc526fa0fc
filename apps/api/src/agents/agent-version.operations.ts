import { ApiHeader, ApiParam } from '@nestjs/swagger';
import {
  AGENT_ID,
  ApiDefinitionBody,
  DEFINITION_PROBLEMS,
  ETAG_HEADER,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  INVALID_DEFINITION,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
  VERSION_NUMBER,
  YAML_DEFINITION,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { AgentVersionResource, CreatedAgentVersionResource } from './agent-version.dto.js';
import { VersionComparison } from './version-comparison.dto.js';

const LOCATION = { Location: 'The version.', ...REPLAYED_HEADER };

/** How the routes of versions are described, by handler. */
export const AGENT_VERSION_OPERATIONS = {
  list: Operation(
    {
      id: 'listAgentVersions',
      tag: 'Agents',
      summary: 'List the versions of an agent',
      answers: [{ description: 'One page of versions.', type: AgentVersionResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    AGENT_ID,
  ),
  create: Operation(
    {
      id: 'createAgentVersion',
      tag: 'Agents',
      summary: 'Create the next version of an agent',
      description: 'The production version stays what it is.',
      answers: [
        { status: 201, description: 'The new version.', type: CreatedAgentVersionResource, headers: LOCATION },
        {
          status: 200,
          description: 'The latest version, which has this very definition.',
          type: CreatedAgentVersionResource,
          headers: LOCATION,
        },
      ],
      problems: [
        ...DEFINITION_PROBLEMS,
        ...INVALID_DEFINITION,
        ...IDEMPOTENCY_PROBLEMS,
        'not_found',
        'agent_archived',
        'name_taken',
      ],
    },
    AGENT_ID,
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiDefinitionBody(),
  ),
  get: Operation(
    {
      id: 'getAgentVersion',
      tag: 'Agents',
      summary: 'A version of an agent with its definition',
      answers: [
        {
          description: 'JSON, or the submitted text.',
          type: AgentVersionResource,
          content: YAML_DEFINITION,
          headers: ETAG_HEADER,
        },
      ],
      problems: ['not_found', 'not_acceptable'],
    },
    AGENT_ID,
    VERSION_NUMBER,
  ),
  compare: Operation(
    {
      id: 'compareAgentVersions',
      tag: 'Agents',
      summary: 'What changes from one version to another',
      description: 'To be read before promoting: every value, and what that means for what the agent may do.',
      answers: [{ description: 'The comparison.', type: VersionComparison }],
      problems: ['not_found'],
    },
    AGENT_ID,
    ...['a', 'b'].map((name) =>
      ApiParam({ name, description: 'The number of a version.', schema: { type: 'integer', minimum: 1 } }),
    ),
  ),
};
