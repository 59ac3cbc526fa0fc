import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { AccessResource, ReplaceAccessBody } from './access.dto.js';
import { KNOWLEDGE_BASE_ID } from './knowledge-base.operations.js';

const ANSWER = {
  description: 'Who may read the base.',
  type: AccessResource,
  headers: { ETag: 'Version of the grants.' },
};

const IF_MATCH = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'ETag of the grants that the change was made from. Without it the change is made in any case.',
  schema: { type: 'string' },
});

/** How the routes of access grants are described, by handler. */
export const ACCESS_OPERATIONS = {
  get: Operation(
    {
      id: 'getKnowledgeBaseAccess',
      tag: 'Knowledge',
      summary: 'Who may read a knowledge base',
      answers: [ANSWER],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
  ),
  replace: Operation(
    {
      id: 'replaceKnowledgeBaseAccess',
      tag: 'Knowledge',
      summary: 'Replace who may read a knowledge base',
      description:
        'All four lists at once; one that is left out is empty. It holds for every read that begins afterwards.',
      answers: [ANSWER],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'unknown_reference', 'precondition_failed'],
    },
    KNOWLEDGE_BASE_ID,
    IF_MATCH,
    ApiBody({ type: ReplaceAccessBody, required: true }),
  ),
};
