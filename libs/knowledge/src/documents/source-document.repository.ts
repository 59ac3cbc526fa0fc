import type { KnownDocument } from '@app/connectors';
import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { SourceScope } from './storable-document.js';
import { READER_VERSION } from '@app/platform/extraction';

/** If an earlier version of the text extraction read the document, `hash` is empty and `validator` is null. */
export interface KnownSourceDocument extends KnownDocument {
  isMet: boolean;
}

export interface RemovedDocuments {
  documents: number;
  chunks: number;
  words: number;
}

const KNOWN: Statement = {
  name: 'knowledge_known_documents',
  text: `select key, case when is_valid then hash else '' end as hash, case when is_valid then validator end as validator, "isMet"
    from (select key, hash, validator, seen_sync is not distinct from $4 as "isMet",
        seen_sync is not distinct from $4 or read_version is not distinct from $5 as is_valid
      from knowledge_documents
      where workspace_id = $1 and source_id = $2 and key = any ($3::text[]) and deleted_at is null) as known`,
};

const UNSEEN: Statement = {
  name: 'knowledge_unseen_documents',
  text: `select count(*) filter (where seen_sync is distinct from $3)::integer as unseen, count(*)::integer as total
    from knowledge_documents where workspace_id = $1 and source_id = $2 and deleted_at is null`,
};

export interface WhichDocuments {
  /** Selects only documents that this sync has not seen. */
  unseenBy?: string;
  key?: string;
}

const MARK_DELETED = `with gone as (
    update knowledge_documents set deleted_at = clock_timestamp()
      where workspace_id = $1 and source_id = $2 and deleted_at is null and ($3::text is null or seen_sync is distinct from $3)
        and ($4::text is null or key = $4)
      returning chunk_count, word_count)
  select count(*)::integer as documents, coalesce(sum(chunk_count), 0)::integer as chunks,
    coalesce(sum(word_count), 0)::integer as words from gone`;

@Injectable()
export class SourceDocumentRepository {
  constructor(private readonly statements: Statements) {}

  findKnown(
    { workspaceId, sourceId, syncId }: SourceScope,
    keys: readonly string[],
  ): Promise<({ key: string } & KnownSourceDocument)[]> {
    return this.statements.query(KNOWN, [workspaceId, sourceId, keys, syncId, READER_VERSION]);
  }

  async countUnseen({ workspaceId, sourceId, syncId }: SourceScope): Promise<{ unseen: number; total: number }> {
    const [counts] = await this.statements.query<{ unseen: number; total: number }>(UNSEEN, [
      workspaceId,
      sourceId,
      syncId,
    ]);
    return counts ?? { unseen: 0, total: 0 };
  }

  async markDeleted(
    { workspaceId, sourceId }: Pick<SourceScope, 'workspaceId' | 'sourceId'>,
    { unseenBy, key }: WhichDocuments,
    { manager }: Transaction,
  ): Promise<RemovedDocuments> {
    const [removed] = await manager.query<RemovedDocuments[]>(MARK_DELETED, [
      workspaceId,
      sourceId,
      unseenBy ?? null,
      key ?? null,
    ]);
    return removed ?? { documents: 0, chunks: 0, words: 0 };
  }
}
