import { ApiBody, ApiParam } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { ChangeKnowledgeBaseBody, CreateKnowledgeBaseBody, KnowledgeBaseResource } from './knowledge-base.dto.js';

export const KNOWLEDGE_BASE_ID = ApiParam({
  name: 'id',
  description: 'The knowledge base.',
  schema: { type: 'string' },
});

/** How the routes of knowledge bases are described, by handler. */
export const KNOWLEDGE_BASE_OPERATIONS = {
  list: Operation({
    id: 'listKnowledgeBases',
    tag: 'Knowledge',
    summary: 'List knowledge bases',
    answers: [{ description: 'One page of knowledge bases.', type: KnowledgeBaseResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createKnowledgeBase',
      repeatable: true,
      tag: 'Knowledge',
      summary: 'Make a knowledge base',
      answers: [
        {
          status: 201,
          description: 'The knowledge base.',
          type: KnowledgeBaseResource,
          headers: { Location: 'The knowledge base.' },
        },
      ],
      problems: [...JSON_BODY_PROBLEMS, 'name_taken'],
    },
    ApiBody({ type: CreateKnowledgeBaseBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getKnowledgeBase',
      tag: 'Knowledge',
      summary: 'A knowledge base',
      answers: [{ description: 'The knowledge base.', type: KnowledgeBaseResource }],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
  ),
  change: Operation(
    {
      id: 'changeKnowledgeBase',
      tag: 'Knowledge',
      summary: 'Change a knowledge base',
      answers: [{ description: 'The knowledge base.', type: KnowledgeBaseResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'name_taken'],
    },
    KNOWLEDGE_BASE_ID,
    ApiBody({ type: ChangeKnowledgeBaseBody, required: true }),
  ),
  remove: Operation(
    {
      id: 'deleteKnowledgeBase',
      tag: 'Knowledge',
      summary: 'Delete a knowledge base',
      description: 'With its sources and documents. Nothing of it is found any more once this has answered.',
      answers: [{ status: 204, description: 'Deleted.' }],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
  ),
};
