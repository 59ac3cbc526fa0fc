import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type KnowledgeSource, KnowledgeSources, SourceAuthorizations, SourceSyncs } from '@app/knowledge';
import { Snapshots } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import { CurrentPrincipal, IdempotencyKey, JsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { type AuthorizationResource, ChangeSourceBody, CreateSourceBody, type SourceResource } from './source.dto.js';
import { sourceList, withSyncs } from './source-list.js';
import { type PlacedSource, SourceOfPath } from './source-place.js';
import { SOURCE_OPERATIONS } from './source.operations.js';
import { presentAuthorization, presentCreated, presentSource } from './source.presenter.js';
import { sourceClaim } from './source-requests.js';

@Controller('v1/knowledge-bases/:id/sources')
export class SourcesController {
  constructor(
    private readonly sources: KnowledgeSources,
    private readonly syncs: SourceSyncs,
    private readonly authorizations: SourceAuthorizations,
    private readonly pages: ListPages,
    private readonly snapshots: Snapshots,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @SOURCE_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SourceResource>> {
    return this.pages.answer(query, sourceList(this.sources, this.syncs, workspaceId, id));
  }

  @Post()
  @RequireScopes('knowledge:write')
  @SOURCE_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() body: CreateSourceBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SourceResource> {
    return presentCreated(response, await this.sources.create(actor, id, body, sourceClaim(id, body, key)));
  }

  @Get(':source_id')
  @RequireScopes('knowledge:read')
  @SOURCE_OPERATIONS.get
  get(@SourceOfPath() { workspaceId, knowledgeBaseId, id }: PlacedSource): Promise<SourceResource> {
    return this.snapshots.read(async () => this.withSync(await this.sources.get(workspaceId, knowledgeBaseId, id)));
  }

  @Patch(':source_id')
  @RequireScopes('knowledge:write')
  @SOURCE_OPERATIONS.change
  async change(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() { knowledgeBaseId, id }: PlacedSource,
    @JsonBody() body: ChangeSourceBody,
  ): Promise<SourceResource> {
    return this.withSync(await this.sources.change(actor, knowledgeBaseId, id, body));
  }

  @Post(':source_id/authorize')
  @HttpCode(200)
  @RequireScopes('knowledge:write')
  @SOURCE_OPERATIONS.authorize
  async authorize(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
  ): Promise<AuthorizationResource> {
    return presentAuthorization(await this.authorizations.renew(actor, place));
  }

  @Delete(':source_id')
  @HttpCode(204)
  @RequireScopes('knowledge:write')
  @SOURCE_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @SourceOfPath() { knowledgeBaseId, id }: PlacedSource): Promise<void> {
    return this.sources.delete(actor, knowledgeBaseId, id);
  }

  private async withSync(source: KnowledgeSource): Promise<SourceResource> {
    const [placed] = await withSyncs(this.syncs, source.workspaceId, [source]);
    return presentSource(placed ?? { id: source.id, source, lastSync: null });
  }
}
