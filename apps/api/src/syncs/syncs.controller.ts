import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { KnowledgeSourcesService, SourceSyncsService, type SyncPlace } from '@app/knowledge';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, QueryParameters } from '../http/request-decorators.js';
import { QUEUED_SYNC_EXAMPLE } from '../openapi/schema-examples.js';
import { Operation, Tag } from '../openapi/operation.js';
import { type PlacedSource, SourceOfPath, SyncOfPath } from './source-place.js';
import { presentRequested, presentSync, SyncResource } from './syncs.api.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id')
export class SyncsController {
  constructor(
    private readonly sources: KnowledgeSourcesService,
    private readonly syncs: SourceSyncsService,
    private readonly pages: ListPagesService,
  ) {}

  @Post('sources/:source_id/sync')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Sync a source', {
    description:
      'Starts a sync: new and changed documents are read, deleted ones are removed. Unchanged documents are not indexed ' +
      'again. If a sync of the source is in progress, it is returned with 200. Follow a new sync at `Location`.',
    202: {
      description: 'The new sync.',
      type: SyncResource,
      example: QUEUED_SYNC_EXAMPLE,
      location: 'Address of the sync.',
    },
    200: { description: 'The sync that is in progress.', type: SyncResource },
  })
  async syncSource(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SyncResource> {
    await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    const { sync, isNew } = answered(response, await this.syncs.request(actor, place, claim));
    return presentRequested(response, sync, isNew);
  }

  @Get('sources/:source_id/syncs')
  @RequireScopes('knowledge:read')
  @Operation('List the syncs of a source', {
    description: 'Lists all syncs of the source.',
    200: { description: 'One page of syncs.', page: SyncResource },
  })
  listSyncs(
    @SourceOfPath() { workspaceId, knowledgeBaseId, id }: PlacedSource,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SyncResource>> {
    return this.pages.answer(query, {
      list: 'syncs',
      workspaceId,
      filters: { source: id },
      read: async (page) => {
        await this.sources.get(workspaceId, knowledgeBaseId, id);
        return this.syncs.list(workspaceId, id, page);
      },
      present: presentSync,
    });
  }

  @Get('sources/:source_id/syncs/:sync_id')
  @RequireScopes('knowledge:read')
  @Operation('Get a sync', {
    description: 'Returns the sync with its progress and failures. Poll it until `ended_at` is set.',
    200: { description: 'The sync.', type: SyncResource },
  })
  async getSync(@SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    return presentSync(await this.syncs.get(place));
  }

  @Post('sources/:source_id/syncs/:sync_id/cancel')
  @RequireScopes('knowledge:write')
  @Operation('Cancel a sync', {
    description:
      'Cancels the sync. Documents that the sync has already read are kept. A running sync ends within seconds; a sync that has ended is returned unchanged.',
    200: { description: 'The sync.', type: SyncResource },
  })
  async cancelSync(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.cancel(actor, place));
  }

  @Post('sources/:source_id/syncs/:sync_id/confirm-deletions')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Confirm the deletions of a sync', {
    description:
      'Deletes the documents that no longer exist in the source. The sync did not delete them, because their share of the ' +
      'documents was larger than `deletion_guard.max_ratio`. If the source has a newer sync, or if this sync has no such ' +
      'deletions, the call is rejected with 412.',
    200: { description: 'The sync.', type: SyncResource },
    problems: ['precondition_failed'],
  })
  async confirmDeletions(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.confirmDeletions(actor, place));
  }

  @Get('syncs/:sync_id')
  @RequireScopes('knowledge:read')
  @Operation('Get a sync of a knowledge base', {
    description: 'Returns a sync of any source of the knowledge base.',
    200: { description: 'The sync.', type: SyncResource },
  })
  async getSyncInBase(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') knowledgeBaseId: string,
    @PathId('sync_id', 'sync') syncId: string,
  ): Promise<SyncResource> {
    const sync = await this.syncs.getInBase(workspaceId, knowledgeBaseId, syncId);
    await this.sources.get(workspaceId, knowledgeBaseId, sync.sourceId);
    return presentSync(sync);
  }
}
