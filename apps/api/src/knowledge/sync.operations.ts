import { ApiParam } from '@nestjs/swagger';
import { PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { KNOWLEDGE_BASE_ID } from './knowledge-base.operations.js';
import { SOURCE_ID } from './source.operations.js';
import { SyncResource } from './sync.dto.js';

const SYNC_ID = ApiParam({ name: 'sync_id', description: 'The sync.', schema: { type: 'string' } });
const SYNC = { description: 'The sync.', type: SyncResource };

/** How the routes of syncs are described, by handler. */
export const SYNC_OPERATIONS = {
  request: Operation(
    {
      id: 'syncSource',
      repeatable: true,
      tag: 'Knowledge',
      summary: 'Bring a knowledge base in step with a source',
      answers: [
        {
          status: 202,
          description: 'The sync that was begun.',
          type: SyncResource,
          headers: { Location: 'The sync.' },
        },
        { status: 200, description: 'The sync that was under way already.', type: SyncResource },
      ],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
  list: Operation(
    {
      id: 'listSyncs',
      tag: 'Knowledge',
      summary: 'List the syncs of a source',
      answers: [{ description: 'One page of syncs.', type: SyncResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
  ),
  get: Operation(
    { id: 'getSync', tag: 'Knowledge', summary: 'A sync', answers: [SYNC], problems: ['not_found'] },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
    SYNC_ID,
  ),
  getInBase: Operation(
    {
      id: 'getSyncInBase',
      tag: 'Knowledge',
      summary: 'A sync of any source',
      answers: [SYNC],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SYNC_ID,
  ),
  cancel: Operation(
    {
      id: 'cancelSync',
      tag: 'Knowledge',
      summary: 'Cancel a sync',
      description:
        'What it has brought stays. One that is running ends within seconds; one that has ended is answered as it is.',
      answers: [SYNC],
      problems: ['not_found'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
    SYNC_ID,
  ),
  confirmDeletions: Operation(
    {
      id: 'confirmDeletions',
      tag: 'Knowledge',
      summary: 'Delete what a sync has held',
      description: 'Documents that are gone from the source, but were more than `deletion_guard.max_ratio` of it.',
      answers: [SYNC],
      problems: ['not_found', 'precondition_failed'],
    },
    KNOWLEDGE_BASE_ID,
    SOURCE_ID,
    SYNC_ID,
  ),
};
