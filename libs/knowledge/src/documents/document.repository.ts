import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, Equal, type FindOptionsWhere, IsNull, MoreThan, Raw, Repository } from 'typeorm';
import { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.js';

export interface DocumentFilter {
  source?: string;
  /** If set, only the documents that the confirmation would delete are returned. */
  heldBy?: string;
}

const HOLDING_SOURCE = `(select y.source_id from knowledge_syncs y join knowledge_sources s on s.id = y.source_id and s.last_sync_id = y.id
  where y.workspace_id = :workspace and y.id = :sync and y.held_deletions is not null and y.deletions_confirmed_at is null)`;

@Injectable()
export class DocumentRepository {
  constructor(
    @InjectRepository(KnowledgeDocumentEntity) private readonly documents: Repository<KnowledgeDocumentEntity>,
    @InjectRepository(KnowledgeChunkEntity) private readonly chunks: Repository<KnowledgeChunkEntity>,
  ) {}

  find(workspaceId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeDocumentEntity | null> {
    return orUnavailable(this.documents.findOneBy({ workspaceId, knowledgeBaseId, id, deletedAt: IsNull() }));
  }

  readPage(
    workspaceId: string,
    knowledgeBaseId: string,
    { source, heldBy }: DocumentFilter,
    page: PageRequest,
  ): Promise<Page<KnowledgeDocumentEntity>> {
    const where: FindOptionsWhere<KnowledgeDocumentEntity> = { workspaceId, knowledgeBaseId, deletedAt: IsNull() };
    if (source !== undefined) where.sourceId = source;
    if (heldBy !== undefined) {
      const held = { workspace: workspaceId, sync: heldBy };
      const holding = Raw((column) => `${column} = ${HOLDING_SOURCE}`, held);
      where.sourceId = source === undefined ? holding : And(holding, Equal(source));
      where.seenSync = Raw((column) => `${column} is distinct from :sync`, held);
    }
    return findPage(this.documents, where, page);
  }

  readPassages(
    { workspaceId, id: documentId }: Pick<KnowledgeDocumentEntity, 'workspaceId' | 'id'>,
    generation: number,
    { from, limit }: { from: number; limit: number },
  ): Promise<KnowledgeChunkEntity[]> {
    const where = { workspaceId, documentId, generation, n: MoreThan(from - 1) };
    return orUnavailable(this.chunks.find({ where, order: { n: 'asc' }, take: limit }));
  }
}
