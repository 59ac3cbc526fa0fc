import { Controller, Get } from '@nestjs/common';
import { KnowledgeSources, SourceSyncs } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, PathId } from '../http/request-decorators.js';
import type { SyncResource } from './sync.dto.js';
import { SYNC_OPERATIONS } from './sync.operations.js';
import { presentSync } from './sync.presenter.js';

/** Syncs for whoever knows their base and not the source. */
@Controller('v1/knowledge-bases/:id/syncs')
export class BaseSyncsController {
  constructor(
    private readonly sources: KnowledgeSources,
    private readonly syncs: SourceSyncs,
  ) {}

  @Get(':sync_id')
  @RequireScopes('knowledge:read')
  @SYNC_OPERATIONS.getInBase
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') knowledgeBaseId: string,
    @PathId('sync_id', 'sync') syncId: string,
  ): Promise<SyncResource> {
    const sync = await this.syncs.getInBase(workspaceId, knowledgeBaseId, syncId);
    await this.sources.get(workspaceId, knowledgeBaseId, sync.sourceId);
    return presentSync(sync);
  }
}
