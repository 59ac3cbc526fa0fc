import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { IndexProgresses, type KnowledgeBase, KnowledgeBases } from '@app/knowledge';
import { Snapshots } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import {
  ChangeKnowledgeBaseBody,
  CreateKnowledgeBaseBody,
  type KnowledgeBaseResource,
  ListKnowledgeBasesQuery,
} from './knowledge-base.dto.js';
import { creationContent, knowledgeBaseList } from './knowledge-base-list.js';
import { KNOWLEDGE_BASE_OPERATIONS } from './knowledge-base.operations.js';
import { presentKnowledgeBase } from './knowledge-base.presenter.js';

@Controller('v1/knowledge-bases')
export class KnowledgeBasesController {
  constructor(
    private readonly bases: KnowledgeBases,
    private readonly indexes: IndexProgresses,
    private readonly pages: ListPages,
    private readonly snapshots: Snapshots,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @KNOWLEDGE_BASE_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListKnowledgeBasesQuery,
  ): Promise<PagedList<KnowledgeBaseResource>> {
    return this.pages.answer(query, knowledgeBaseList(this.bases, this.indexes, workspaceId, query));
  }

  @Post()
  @RequireScopes('knowledge:write')
  @KNOWLEDGE_BASE_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateKnowledgeBaseBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KnowledgeBaseResource> {
    const base = answered(response, await this.bases.create(actor, body, claimOf(creationContent(body))));
    return created(response, `/v1/knowledge-bases/${base.id}`, presentKnowledgeBase(base));
  }

  @Get(':id')
  @RequireScopes('knowledge:read')
  @KNOWLEDGE_BASE_OPERATIONS.get
  get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
  ): Promise<KnowledgeBaseResource> {
    return this.snapshots.read(async () => this.presented(await this.bases.get(workspaceId, id)));
  }

  @Patch(':id')
  @RequireScopes('knowledge:write')
  @KNOWLEDGE_BASE_OPERATIONS.change
  async change(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() body: ChangeKnowledgeBaseBody,
  ): Promise<KnowledgeBaseResource> {
    return this.presented(await this.bases.change(actor, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('knowledge:write')
  @KNOWLEDGE_BASE_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @PathId('id', 'knowledgeBase') id: string): Promise<void> {
    return this.bases.delete(actor, id);
  }

  private async presented(base: KnowledgeBase): Promise<KnowledgeBaseResource> {
    const progress = await this.indexes.of(base.workspaceId, [base]);
    return presentKnowledgeBase(base, progress.get(base.id));
  }
}
