import { Controller, Get } from '@nestjs/common';
import { KnowledgeDocuments } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { documentList } from './document-list.js';
import {
  DocumentQuery,
  type DocumentResource,
  type DocumentWithChunksResource,
  ListDocumentsQuery,
} from './documents.dto.js';
import { DOCUMENT_OPERATIONS } from './documents.operations.js';
import { presentDocumentWithChunks } from './documents.presenter.js';

@Controller('v1/knowledge-bases/:id/documents')
export class DocumentsController {
  constructor(
    private readonly documents: KnowledgeDocuments,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @DOCUMENT_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @QueryParameters() query: ListDocumentsQuery,
  ): Promise<PagedList<DocumentResource>> {
    return this.pages.answer(query, documentList(this.documents, workspaceId, id, query));
  }

  @Get(':documentId')
  @RequireScopes('knowledge:read')
  @DOCUMENT_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @PathId('documentId', 'document') documentId: string,
    @QueryParameters() { from_chunk }: DocumentQuery,
  ): Promise<DocumentWithChunksResource> {
    return presentDocumentWithChunks(await this.documents.get(workspaceId, id, documentId, from_chunk));
  }
}
