import { isId, notFound, type Page, type PageRequest } from '@app/kernel';
import { SnapshotsService } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import { type DocumentFilter, DocumentRepository } from './document.repository.js';
import type { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';
import type { KnowledgeDocumentEntity } from './knowledge-document.entity.js';

export interface DocumentWithPassages {
  document: KnowledgeDocumentEntity;
  passages: KnowledgeChunkEntity[];
}

const PASSAGES_AT_ONCE = 500;

@Injectable()
export class KnowledgeDocumentsService {
  constructor(
    private readonly bases: KnowledgeBasesService,
    private readonly documents: DocumentRepository,
    private readonly snapshots: SnapshotsService,
  ) {}

  async list(
    workspaceId: string,
    knowledgeBaseId: string,
    { source, heldBy, ...page }: PageRequest & DocumentFilter,
  ): Promise<Page<KnowledgeDocumentEntity>> {
    const { id } = await this.bases.get(workspaceId, knowledgeBaseId);
    return this.documents.readPage(workspaceId, id, { source, heldBy }, page);
  }

  get(workspaceId: string, knowledgeBaseId: string, id: string, from: number): Promise<DocumentWithPassages> {
    return this.snapshots.read(() => this.readWithPassages(workspaceId, knowledgeBaseId, id, from));
  }

  private async readWithPassages(
    workspaceId: string,
    knowledgeBaseId: string,
    id: string,
    from: number,
  ): Promise<DocumentWithPassages> {
    const base = await this.bases.get(workspaceId, knowledgeBaseId);
    const document = isId('document', id) ? await this.documents.find(workspaceId, base.id, id) : null;
    if (!document) throw notFound('document', id);
    const range = { from, limit: PASSAGES_AT_ONCE };
    return { document, passages: await this.documents.readPassages(document, base.generation, range) };
  }
}
