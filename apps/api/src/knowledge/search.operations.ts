import { ApiBody } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { KNOWLEDGE_BASE_ID } from './knowledge-base.operations.js';
import { PassageResource, SearchKnowledgeBody } from './search.dto.js';

/** How the routes of searches are described, by handler. */
export const SEARCH_OPERATIONS = {
  search: Operation(
    {
      id: 'searchKnowledgeBase',
      tag: 'Knowledge',
      summary: 'Search a knowledge base',
      description:
        'The passages that answer the query best. All of the base is searched for whoever has the scope; grants decide what runs may read.',
      answers: [{ description: 'Passages, best first.', type: PassageResource, list: true }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
    ApiBody({ type: SearchKnowledgeBody, required: true }),
  ),
};
