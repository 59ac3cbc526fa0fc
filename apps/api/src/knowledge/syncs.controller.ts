import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { KnowledgeSources, SourceSyncs, type SyncPlace } from '@app/knowledge';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import { CurrentPrincipal, EmptyBodyClaim, QueryParameters } from '../http/request-decorators.js';
import { syncList } from './source-list.js';
import { type PlacedSource, SourceOfPath, SyncOfPath } from './source-place.js';
import type { SyncResource } from './sync.dto.js';
import { SYNC_OPERATIONS } from './sync.operations.js';
import { presentRequested, presentSync } from './sync.presenter.js';

@Controller('v1/knowledge-bases/:id/sources/:source_id')
export class SyncsController {
  constructor(
    private readonly sources: KnowledgeSources,
    private readonly syncs: SourceSyncs,
    private readonly pages: ListPages,
  ) {}

  @Post('sync')
  @RequireScopes('knowledge:write')
  @SYNC_OPERATIONS.request
  async request(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SyncResource> {
    await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    return presentRequested(response, await this.syncs.request(actor, place, claim));
  }

  @Get('syncs')
  @RequireScopes('knowledge:read')
  @SYNC_OPERATIONS.list
  list(
    @SourceOfPath() { workspaceId, knowledgeBaseId, id }: PlacedSource,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SyncResource>> {
    return this.pages.answer(query, syncList(this.sources, this.syncs, { workspaceId, knowledgeBaseId, id }));
  }

  @Get('syncs/:sync_id')
  @RequireScopes('knowledge:read')
  @SYNC_OPERATIONS.get
  async get(@SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    return presentSync(await this.syncs.get(place));
  }

  @Post('syncs/:sync_id/cancel')
  @HttpCode(200)
  @RequireScopes('knowledge:write')
  @SYNC_OPERATIONS.cancel
  async cancel(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.cancel(actor, place));
  }

  @Post('syncs/:sync_id/confirm-deletions')
  @HttpCode(200)
  @RequireScopes('knowledge:write')
  @SYNC_OPERATIONS.confirmDeletions
  async confirmDeletions(@CurrentPrincipal() actor: Principal, @SyncOfPath() place: SyncPlace): Promise<SyncResource> {
    return presentSync(await this.syncs.confirmDeletions(actor, place));
  }
}
