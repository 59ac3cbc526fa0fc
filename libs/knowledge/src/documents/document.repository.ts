import type { PageRequest } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.js';

export interface DocumentFilter {
  source?: string;
}

/** Reads documents and passages. Excludes deleted documents. */
@Injectable()
export class DocumentRepository {
  constructor(
    @InjectRepository(KnowledgeDocumentEntity) private readonly documents: Repository<KnowledgeDocumentEntity>,
    @InjectRepository(KnowledgeChunkEntity) private readonly chunks: Repository<KnowledgeChunkEntity>,
  ) {}

  find(workspaceId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeDocumentEntity | null> {
    return orUnavailable(this.documents.findOneBy({ workspaceId, knowledgeBaseId, id, deletedAt: IsNull() }));
  }

  /** Up to `limit + 1` documents in keyset order of the id. */
  readPage(
    workspaceId: string,
    knowledgeBaseId: string,
    { source }: DocumentFilter,
    page: PageRequest,
  ): Promise<KnowledgeDocumentEntity[]> {
    const where: FindOptionsWhere<KnowledgeDocumentEntity> = { workspaceId, knowledgeBaseId, deletedAt: IsNull() };
    if (source !== undefined) where.sourceId = source;
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.documents.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  /** The passages of one generation in order, starting at number `from`. */
  readPassages(
    { workspaceId, id: documentId }: Pick<KnowledgeDocumentEntity, 'workspaceId' | 'id'>,
    generation: number,
    { from, limit }: { from: number; limit: number },
  ): Promise<KnowledgeChunkEntity[]> {
    const where = { workspaceId, documentId, generation, n: MoreThan(from - 1) };
    return orUnavailable(this.chunks.find({ where, order: { n: 'asc' }, take: limit }));
  }
}
