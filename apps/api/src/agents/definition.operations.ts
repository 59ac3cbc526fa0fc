import { ApiDefinitionBody, CACHE_HEADERS, DEFINITION_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { PresentedValidation } from './definition.dto.js';

/** How the routes of definitions are described, by handler. */
export const DEFINITION_OPERATIONS = {
  validate: Operation(
    {
      id: 'validateDefinition',
      tag: 'Agents',
      summary: 'Check a definition without storing it',
      description:
        'Answers 200 for a valid and for an invalid definition. A key that may create agents gets all that creation would say; for others nobody else is asked.',
      answers: [{ description: 'What is wrong, and what is suspicious.', type: PresentedValidation }],
      problems: DEFINITION_PROBLEMS,
    },
    ApiDefinitionBody(),
  ),
  schema: Operation({
    id: 'getAgentSchema',
    tag: 'Agents',
    summary: 'The JSON Schema of definitions, for editors',
    answers: [
      {
        description: 'JSON Schema 2020-12.',
        headers: CACHE_HEADERS,
        content: { 'application/schema+json': { schema: { type: 'object' } } },
      },
    ],
  }),
};
