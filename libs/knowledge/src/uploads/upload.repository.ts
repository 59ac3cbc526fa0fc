import { type Statement, Statements, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { READER_VERSION } from '@app/platform/extraction';

export interface NewUpload {
  workspaceId: string;
  sourceId: string;
  key: string;
  title: string | null;
  contentType: string;
  size: number;
  hash: string;
  fileId: string;
  uploadedBy: string;
}

/** Where the bytes of an upload are: in the storage, or in a row that a worker has not moved yet. */
export interface UploadBytes {
  fileId: string | null;
  content: Buffer | null;
}

/** An upload whose bytes are still in its row. */
export interface UnmovedUpload {
  workspaceId: string;
  sourceId: string;
  key: string;
  contentType: string;
  hash: string;
  uploadedBy: string;
}

export type UploadPosition = Pick<UnmovedUpload, 'sourceId' | 'key'>;

export interface ListedUpload {
  key: string;
  title: string | null;
  contentType: string;
  hash: string;
  /** Null if the indexed document has the same bytes, or the bytes are not in the storage yet. */
  fileId: string | null;
}

export interface UploadRange {
  from: string | null;
  until: string;
  after: string;
}

const REPLACED = `select file_id as "fileId" from knowledge_uploads where workspace_id = $1 and source_id = $2 and key = $3 for update`;

const PUT = `insert into knowledge_uploads (workspace_id, source_id, key, title, content_type, size, hash, file_id, uploaded_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (source_id, key) do update set title = excluded.title, content_type = excluded.content_type, size = excluded.size,
    hash = excluded.hash, file_id = excluded.file_id, content = null, uploaded_by = excluded.uploaded_by, uploaded_at = clock_timestamp()`;

const LIST: Statement = {
  name: 'knowledge_uploads.list',
  text: `with listed as materialized (
      select key, title, content_type, hash, file_id from knowledge_uploads
        where workspace_id = $1 and source_id = $2 and key > $3 and uploaded_at <= $4::timestamptz
          and ($5::timestamptz is null or uploaded_at > $5::timestamptz)
        order by key limit $6),
    known as materialized (
      select d.key, d.hash from knowledge_documents d
        where d.source_id = $2 and d.key in (select key from listed) and d.deleted_at is null
          and d.read_version is not distinct from $7)
    select l.key, l.title, l.content_type as "contentType", l.hash, case when k.key is null then l.file_id end as "fileId"
      from listed l
      left join known k on k.key = l.key and k.hash = l.hash
      order by l.key`,
};
const CONTENT: Statement = {
  name: 'knowledge_uploads.content',
  text: 'select file_id as "fileId", content from knowledge_uploads where workspace_id = $1 and source_id = $2 and key = $3',
};
const COUNT: Statement = {
  name: 'knowledge_uploads.count',
  text: `select count(*)::integer as count from knowledge_uploads where workspace_id = $1 and source_id = $2
    and (uploaded_at > $4::timestamptz or key > $3 and ($5::timestamptz is null or uploaded_at > $5::timestamptz))`,
};
const UNMOVED: Statement = {
  name: 'knowledge_uploads.unmoved',
  text: `select workspace_id as "workspaceId", source_id as "sourceId", key, content_type as "contentType", hash, uploaded_by as "uploadedBy"
    from knowledge_uploads where file_id is null and (source_id, key) > ($1, $2) order by source_id, key limit $3`,
};

const MOVE = `with moved as (update knowledge_uploads set file_id = $5, content = null
    where workspace_id = $1 and source_id = $2 and key = $3 and hash = $4 and file_id is null returning 1)
  select 1 from moved`;

const REMOVE_ALL = `with gone as (delete from knowledge_uploads where workspace_id = $1 and source_id = any ($2) returning file_id)
  select file_id as "fileId" from gone where file_id is not null`;

/**
 * Every push holds the lock of the source, and upload times are rounded to milliseconds. Therefore all uploads with a
 * time before the current millisecond are committed, and no later upload gets such a time. The range then ends at the
 * latest of these times.
 */
const NOW = `with source as materialized (
    select 1 from knowledge_sources where workspace_id = $1 and id = $2 for no key update)
  select greatest(date_trunc('milliseconds', clock_timestamp()) - interval '1 millisecond', ahead.latest)::text as now
    from (select count(*) from source) as locked,
      (select max(uploaded_at) as latest from knowledge_uploads
        where workspace_id = $1 and source_id = $2 and uploaded_at > clock_timestamp() + interval '1 second') as ahead`;

@Injectable()
export class UploadRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactions: Transactions,
  ) {}

  /** Returns the id of the file that the upload had before, or undefined. */
  async put(upload: NewUpload, { manager }: Transaction): Promise<string | undefined> {
    const { workspaceId, sourceId, key, title, contentType, size, hash, fileId, uploadedBy } = upload;
    const [replaced] = await manager.query<Pick<UploadBytes, 'fileId'>[]>(REPLACED, [workspaceId, sourceId, key]);
    await manager.query(PUT, [workspaceId, sourceId, key, title, contentType, size, hash, fileId, uploadedBy]);
    return replaced?.fileId ?? undefined;
  }

  listUploads(workspaceId: string, sourceId: string, range: UploadRange, limit: number): Promise<ListedUpload[]> {
    const { from, until, after } = range;
    return this.statements.query<ListedUpload>(LIST, [
      workspaceId,
      sourceId,
      after,
      until,
      from,
      limit,
      READER_VERSION,
    ]);
  }

  async countLeft(workspaceId: string, sourceId: string, { from, until, after }: UploadRange): Promise<number> {
    const [row] = await this.statements.query<{ count: number }>(COUNT, [workspaceId, sourceId, after, until, from]);
    return row!.count;
  }

  readRangeEnd(workspaceId: string, sourceId: string): Promise<string> {
    return this.transactions.run(async ({ manager }) => {
      const [row] = await manager.query<{ now: string }[]>(NOW, [workspaceId, sourceId]);
      return row!.now;
    });
  }

  async readBytes(workspaceId: string, sourceId: string, key: string): Promise<UploadBytes | undefined> {
    return (await this.statements.query<UploadBytes>(CONTENT, [workspaceId, sourceId, key]))[0];
  }

  /** Returns up to `limit` uploads of all workspaces after this one whose bytes are in their rows. */
  readUnmoved({ sourceId, key }: UploadPosition, limit: number): Promise<UnmovedUpload[]> {
    return this.statements.query<UnmovedUpload>(UNMOVED, [sourceId, key, limit]);
  }

  /** Returns false if the upload was moved, replaced or removed meanwhile. */
  async markMoved(upload: UnmovedUpload, fileId: string, { manager }: Transaction): Promise<boolean> {
    const { workspaceId, sourceId, key, hash } = upload;
    const moved = await manager.query<unknown[]>(MOVE, [workspaceId, sourceId, key, hash, fileId]);
    return moved.length > 0;
  }

  /** Returns the ids of the files of the removed uploads. */
  async removeAll(workspaceId: string, sourceIds: readonly string[], { manager }: Transaction): Promise<string[]> {
    const gone = await manager.query<{ fileId: string }[]>(REMOVE_ALL, [workspaceId, sourceIds]);
    return gone.map(({ fileId }) => fileId);
  }

  /** Returns whether there was such an upload, and the id of its file. */
  async remove(
    workspaceId: string,
    sourceId: string,
    key: string,
    { manager }: Transaction,
  ): Promise<Pick<UploadBytes, 'fileId'> | undefined> {
    const [removed] = await manager.query<Pick<UploadBytes, 'fileId'>[]>(
      'with gone as (delete from knowledge_uploads where workspace_id = $1 and source_id = $2 and key = $3 returning file_id) select file_id as "fileId" from gone',
      [workspaceId, sourceId, key],
    );
    return removed;
  }
}
