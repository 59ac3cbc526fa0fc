import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiParam, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { READABLE_TYPES } from '@app/platform/extraction';
import { LIMIT_WORDS } from '../openapi/configured-limits.js';
import {
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  JSON_BODY_PROBLEMS,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { KNOWLEDGE_BASE_ID } from './knowledge-base.operations.js';
import {
  AuthorizationResource,
  ChangeSourceBody,
  CreateSourceBody,
  PushTextBody,
  SourceResource,
} from './source.dto.js';
import { SyncResource } from './sync.dto.js';

export const SOURCE_ID = ApiParam({ name: 'source_id', description: 'The source.', schema: { type: 'string' } });

/** How the routes of sources are described, by handler. */
export const SOURCE_OPERATIONS = {
  list: Operation(
    {
      id: 'listSources',
      tag: 'Knowledge',
      summary: 'List the sources of a knowledge base',
      answers: [{ description: 'One page of sources.', type: SourceResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
  ),
  create: Operation(
    {
      id: 'createSource',
      tag: 'Knowledge',
      summary: 'Add a source',
      description: 'It is not synced yet: `POST …/sync` does that, or its schedule.',
      answers: [
        {
          status: 201,
          description: 'The source.',
          type: SourceResource,
          headers: { Location: 'The source.', ...REPLAYED_HEADER },
        },
      ],
      problems: [...JSON_BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, 'not_found', 'oauth_required', 'unknown_reference'],
    },
    KNOWLEDGE_BASE_ID,
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiBody({ type: CreateSourceBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getSource',
      tag: 'Knowledge',
      summary: 'A source',
      answers: [{ description: 'The source.', type: SourceResource }],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
  change: Operation(
    {
      id: 'changeSource',
      tag: 'Knowledge',
      summary: 'Change what a source reads, and when',
      answers: [{ description: 'The source.', type: SourceResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'unknown_reference'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
    ApiBody({ type: ChangeSourceBody, required: true }),
  ),
  authorize: Operation(
    {
      id: 'authorizeSource',
      tag: 'Knowledge',
      summary: 'Have a source with OAuth authorised anew',
      description: 'For one whose `authorization` is `expired`. Its documents and settings stay.',
      answers: [{ description: 'Where to.', type: AuthorizationResource }],
      problems: ['invalid_request', 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
  remove: Operation(
    {
      id: 'deleteSource',
      tag: 'Knowledge',
      summary: 'Delete a source',
      description: 'With its documents. None of them is found any more once this has answered.',
      answers: [{ status: 204, description: 'Deleted.' }],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
};

const FILE = { schema: { type: 'string' as const, format: 'binary' } };

const DOCUMENT_BODY = applyDecorators(
  ApiExtraModels(PushTextBody),
  ApiConsumes('application/json', 'multipart/form-data', ...READABLE_TYPES),
  ApiBody({
    required: true,
    description: `The document as it is, at most ${LIMIT_WORDS.upload}, with its name in the query; its text in a JSON object; or a form with up to 100 files, each a document that is called as its file is.`,
    schema: { oneOf: [{ $ref: getSchemaPath(PushTextBody) }, FILE.schema] },
  }),
);

/** How the routes of pushed documents are described, by handler. */
export const PUSHED_DOCUMENT_OPERATIONS = {
  push: Operation(
    {
      id: 'pushDocument',
      repeatable: true,
      tag: 'Knowledge',
      summary: 'Push a document into a source of the connector upload',
      description:
        'Kept when this has answered, and searchable when the sync of the answer has ended; where that had begun before, when the one has that follows it: `last_sync` of the source.',
      answers: [
        {
          status: 202,
          description: 'The sync that indexes it, or one under way that such a sync follows.',
          type: SyncResource,
          headers: { Location: 'The sync.' },
        },
      ],
      problems: [...JSON_BODY_PROBLEMS, 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
    DOCUMENT_BODY,
  ),
  remove: Operation(
    {
      id: 'removeDocument',
      tag: 'Knowledge',
      summary: 'Remove a pushed document',
      description: 'It is not found any more once this has answered.',
      answers: [{ status: 204, description: 'Removed.' }],
      problems: ['invalid_request', 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
};
