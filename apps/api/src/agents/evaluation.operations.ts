import { ApiHeader, ApiParam } from '@nestjs/swagger';
import {
  AGENT_ID,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
  VERSION_NUMBER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { EvaluationResource } from './evaluation.dto.js';

const EVALUATION_ID = ApiParam({ name: 'id', description: 'The evaluation.', schema: { type: 'string' } });
const LOCATION = { Location: 'The evaluation.', ...REPLAYED_HEADER };

/** How the routes of evaluations are described, by handler. */
export const EVALUATION_OPERATIONS = {
  evaluate: Operation(
    {
      id: 'evaluateAgentVersion',
      tag: 'Agents',
      summary: 'Test a version against its evaluation set',
      description:
        'Every case of the definition, as often as its `trials` say, and every recorded run of `from_runs` becomes a run in mode `test` with a ' +
        'trigger of type `evaluation`. Nobody is asked for approval: a run that would ask ends there. A version without an evaluation set is 422 ' +
        '`definition_invalid`.',
      answers: [
        { status: 202, description: 'The new evaluation.', type: EvaluationResource, headers: LOCATION },
        {
          status: 200,
          description: 'The one of this version that is under way.',
          type: EvaluationResource,
          headers: LOCATION,
        },
      ],
      problems: [...IDEMPOTENCY_PROBLEMS, 'not_found', 'definition_invalid', 'agent_archived', 'workspace_stopped'],
    },
    AGENT_ID,
    VERSION_NUMBER,
    ApiHeader(IDEMPOTENCY_HEADER),
  ),
  list: Operation(
    {
      id: 'listVersionEvaluations',
      tag: 'Agents',
      summary: 'List the evaluations of a version',
      description:
        'Each with its results so far. A page ends before `limit` where its evaluations come to 10 000 trials together; `next_cursor` goes on.',
      answers: [{ description: 'One page of evaluations.', type: EvaluationResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    AGENT_ID,
    VERSION_NUMBER,
  ),
  get: Operation(
    {
      id: 'getEvaluation',
      tag: 'Agents',
      summary: 'An evaluation with its results so far',
      answers: [{ description: 'The evaluation.', type: EvaluationResource }],
      problems: ['not_found'],
    },
    EVALUATION_ID,
  ),
  cancel: Operation(
    {
      id: 'cancelEvaluation',
      tag: 'Agents',
      summary: 'End an evaluation without a verdict',
      description: 'Its runs are cancelled. What has ended stays as it is.',
      answers: [{ description: 'The evaluation.', type: EvaluationResource }],
      problems: ['not_found'],
    },
    EVALUATION_ID,
  ),
};
