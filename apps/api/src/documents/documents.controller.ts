import { Controller, Get, Post } from '@nestjs/common';
import { KnowledgeDocumentsService, KnowledgeSearchService } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { CurrentPrincipal, JsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  DocumentQuery,
  DocumentResource,
  DocumentWithChunksResource,
  ListDocumentsQuery,
  PassageResource,
  presentDocument,
  presentDocumentWithChunks,
  SearchKnowledgeBody,
} from './documents.api.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id')
export class DocumentsController {
  constructor(
    private readonly documents: KnowledgeDocumentsService,
    private readonly knowledge: KnowledgeSearchService,
    private readonly pages: ListPagesService,
  ) {}

  @Get('documents')
  @RequireScopes('knowledge:read')
  @Operation('List the documents of a knowledge base', {
    description: 'Lists the documents of the knowledge base, without their text.',
    200: { description: 'One page of documents.', page: DocumentResource },
  })
  listDocuments(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @QueryParameters() query: ListDocumentsQuery,
  ): Promise<PagedList<DocumentResource>> {
    const { source, held_by: heldBy } = query;
    const filter = { ...(source !== undefined && { source }), ...(heldBy !== undefined && { heldBy }) };
    return this.pages.answer(query, {
      list: `knowledge-bases/${id}/documents`,
      workspaceId,
      filters: { source: source ?? null, held_by: heldBy ?? null },
      read: (page) => this.documents.list(workspaceId, id, { ...page, ...filter }),
      present: presentDocument,
    });
  }

  @Get('documents/:document_id')
  @RequireScopes('knowledge:read')
  @Operation('Get a document', {
    description: 'Returns the document with its passages, in the order of the text.',
    200: { description: 'The document.', type: DocumentWithChunksResource },
  })
  async getDocument(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @PathId('document_id', 'document') documentId: string,
    @QueryParameters() { from_chunk }: DocumentQuery,
  ): Promise<DocumentWithChunksResource> {
    return presentDocumentWithChunks(await this.documents.get(workspaceId, id, documentId, from_chunk));
  }

  @Post('search')
  @RequireScopes('knowledge:read')
  @Operation('Search a knowledge base', {
    description:
      'Returns the passages that match the query best. The access list of the base does not limit this operation. It limits only what runs may read.',
    200: { description: 'Passages, best first.', page: PassageResource },
  })
  async searchKnowledgeBase(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() { query, top_k }: SearchKnowledgeBody,
  ): Promise<{ data: PassageResource[] }> {
    return { data: await this.knowledge.findPassages(workspaceId, id, query, top_k) };
  }
}
