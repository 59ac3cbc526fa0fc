import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Page } from '@app/kernel';
import { type BaseContents, type IndexProgress, type KnowledgeBaseEntity, KnowledgeBasesService } from '@app/knowledge';
import { SnapshotsService } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ChangeKnowledgeBaseBody,
  CreateKnowledgeBaseBody,
  creationContent,
  KnowledgeBaseResource,
  ListKnowledgeBasesQuery,
  presentKnowledgeBase,
} from './knowledge-bases.api.js';

interface ListedBase {
  id: string;
  base: KnowledgeBaseEntity;
  contents: BaseContents | undefined;
  progress: IndexProgress | undefined;
}

@Tag('Knowledge')
@Controller('v1/knowledge-bases')
export class KnowledgeBasesController {
  constructor(
    private readonly bases: KnowledgeBasesService,
    private readonly pages: ListPagesService,
    private readonly snapshots: SnapshotsService,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @Operation('List knowledge bases', {
    description: 'Lists the knowledge bases of the workspace.',
    200: { description: 'One page of knowledge bases.', page: KnowledgeBaseResource },
  })
  listKnowledgeBases(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListKnowledgeBasesQuery,
  ): Promise<PagedList<KnowledgeBaseResource>> {
    const { name } = query;
    return this.pages.answer(query, {
      list: 'knowledge-bases',
      workspaceId,
      filters: { name: name ?? null },
      read: (page) => this.readPage(workspaceId, { ...page, ...(name !== undefined && { name }) }),
      present: ({ base, contents, progress }) => presentKnowledgeBase(base, contents, progress),
    });
  }

  @Post()
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Create a knowledge base', {
    description: 'Creates an empty knowledge base. Add sources to fill it, and give agents and people access.',
    201: {
      description: 'The new knowledge base.',
      type: KnowledgeBaseResource,
      location: 'Address of the knowledge base.',
    },
    problems: ['name_taken'],
  })
  async createKnowledgeBase(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateKnowledgeBaseBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KnowledgeBaseResource> {
    const made = answered(response, await this.bases.create(actor, body, claimOf(creationContent(body))));
    return created(response, `/v1/knowledge-bases/${made.result.id}`, presentKnowledgeBase(made.result));
  }

  @Get(':id')
  @RequireScopes('knowledge:read')
  @Operation('Get a knowledge base', {
    description: 'Returns the knowledge base with its settings, its counts and the state of its index.',
    200: { description: 'The knowledge base.', type: KnowledgeBaseResource },
  })
  getKnowledgeBase(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
  ): Promise<KnowledgeBaseResource> {
    return this.snapshots.read(async () => this.presented(await this.bases.get(workspaceId, id)));
  }

  @Patch(':id')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Change a knowledge base', {
    description: 'Changes the given fields. The region cannot be changed.',
    200: { description: 'The knowledge base.', type: KnowledgeBaseResource },
    problems: ['name_taken'],
  })
  async changeKnowledgeBase(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() body: ChangeKnowledgeBaseBody,
  ): Promise<KnowledgeBaseResource> {
    return this.presented(await this.bases.change(actor, id, body));
  }

  @Delete(':id')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Delete a knowledge base', {
    description:
      'Deletes the knowledge base with its sources and documents. After the response, no search finds them. ' +
      'This cannot be undone.',
    204: { description: 'The knowledge base is deleted.' },
  })
  deleteKnowledgeBase(@CurrentPrincipal() actor: Principal, @PathId('id', 'knowledgeBase') id: string): Promise<void> {
    return this.bases.delete(actor, id);
  }

  /** Reads a page of knowledge bases. Adds the numbers of their sources and grants, and the progress of indexing. */
  private async readPage(
    workspaceId: string,
    request: Parameters<KnowledgeBasesService['list']>[1],
  ): Promise<Page<ListedBase>> {
    const page = await this.bases.list(workspaceId, request);
    return { ...page, data: await this.withContents(workspaceId, page.data) };
  }

  private async presented(base: KnowledgeBaseEntity): Promise<KnowledgeBaseResource> {
    const [listed] = await this.withContents(base.workspaceId, [base]);
    return presentKnowledgeBase(base, listed?.contents, listed?.progress);
  }

  private async withContents(workspaceId: string, bases: readonly KnowledgeBaseEntity[]): Promise<ListedBase[]> {
    const contents = await this.bases.countContents(workspaceId, bases);
    const progress = await this.bases.readIndexProgress(workspaceId, bases);
    return bases.map((base) => ({
      id: base.id,
      base,
      contents: contents.get(base.id),
      progress: progress.get(base.id),
    }));
  }
}
