import { Controller, HttpCode, Post } from '@nestjs/common';
import { KnowledgeSearch } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, JsonBody, PathId } from '../http/request-decorators.js';
import { type PassageResource, SearchKnowledgeBody } from './search.dto.js';
import { SEARCH_OPERATIONS } from './search.operations.js';

@Controller('v1/knowledge-bases/:id/search')
export class SearchController {
  constructor(private readonly knowledge: KnowledgeSearch) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('knowledge:read')
  @SEARCH_OPERATIONS.search
  async search(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() { query, top_k }: SearchKnowledgeBody,
  ): Promise<{ data: PassageResource[] }> {
    return { data: await this.knowledge.passages(workspaceId, id, query, top_k) };
  }
}
