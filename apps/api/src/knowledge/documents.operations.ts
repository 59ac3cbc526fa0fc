import { ApiParam } from '@nestjs/swagger';
import { PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { DocumentResource, DocumentWithChunksResource } from './documents.dto.js';
import { KNOWLEDGE_BASE_ID } from './knowledge-base.operations.js';

const DOCUMENT_ID = ApiParam({ name: 'documentId', description: 'The document.', schema: { type: 'string' } });

/** How the routes of documents are described, by handler. */
export const DOCUMENT_OPERATIONS = {
  list: Operation(
    {
      id: 'listDocuments',
      tag: 'Knowledge',
      summary: 'List the documents of a knowledge base',
      answers: [{ description: 'One page of documents.', type: DocumentResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
  ),
  get: Operation(
    {
      id: 'getDocument',
      tag: 'Knowledge',
      summary: 'A document with its passages',
      description: 'The passages are what a search finds: stretches of the text that the document was read as.',
      answers: [{ description: 'The document.', type: DocumentWithChunksResource }],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    DOCUMENT_ID,
  ),
};
