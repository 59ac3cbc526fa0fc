import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { KnowledgeSources, SourceSyncs, type SyncPlace } from '@app/knowledge';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { type PlacedSource, SourceOfPath, SyncOfPath } from './source-place.js';
import { presentRequested, presentSync, SyncResource } from './syncs.api.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id')
export class SyncsController {
  constructor(
    private readonly sources: KnowledgeSources,
    private readonly syncs: SourceSyncs,
    private readonly pages: ListPages,
  ) {}

  @Post('sources/:source_id/sync')
  @RequireScopes('knowledge:write')
  @Operation('Bring a knowledge base in step with a source', {
    202: { description: 'The sync that was begun.', type: SyncResource, location: 'The sync.' },
    200: { description: 'The sync that was under way already.', type: SyncResource },
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
  @Operation('List the syncs of a source', { 200: { description: 'One page of syncs.', page: SyncResource } })
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
  @Operation('A sync', { 200: { description: 'The sync.', type: SyncResource } })
  async getSync(@SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    return presentSync(await this.syncs.get(place));
  }

  @Post('sources/:source_id/syncs/:sync_id/cancel')
  @RequireScopes('knowledge:write')
  @Operation('Cancel a sync', {
    description:
      'What it has brought stays. One that is running ends within seconds; one that has ended is answered as it is.',
    200: { description: 'The sync.', type: SyncResource },
  })
  async cancelSync(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.cancel(actor, place));
  }

  @Post('sources/:source_id/syncs/:sync_id/confirm-deletions')
  @RequireScopes('knowledge:write')
  @Operation('Delete what a sync has held', {
    description: 'Documents that are gone from the source, but were more than `deletion_guard.max_ratio` of it.',
    200: { description: 'The sync.', type: SyncResource },
    problems: ['precondition_failed'],
  })
  async confirmDeletions(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.confirmDeletions(actor, place));
  }

  @Get('syncs/:sync_id')
  @RequireScopes('knowledge:read')
  @Operation('A sync of any source', { 200: { description: 'The sync.', type: SyncResource } })
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
