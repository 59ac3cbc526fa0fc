import { type Statement, Statements, storeBytes, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { READER_VERSION } from '@app/platform/extraction';

export interface NewUpload {
  workspaceId: string;
  sourceId: string;
  key: string;
  title: string | null;
  contentType: string;
  hash: string;
  content: Buffer;
  uploadedBy: string;
}

export interface ListedUpload {
  key: string;
  title: string | null;
  contentType: string;
  hash: string;
  content: Buffer | null;
}

export interface UploadRange {
  from: string | null;
  until: string;
  after: string;
}

const SHORT = 32 * 1024;

const PUT = `insert into knowledge_uploads (workspace_id, source_id, key, title, content_type, size, hash, content, uploaded_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (source_id, key) do update set title = excluded.title, content_type = excluded.content_type, size = excluded.size,
    hash = excluded.hash, content = excluded.content, uploaded_by = excluded.uploaded_by, uploaded_at = clock_timestamp()`;

const LIST: Statement = {
  name: 'knowledge_uploads.list',
  text: `with listed as materialized (
      select key, title, content_type, hash, size from knowledge_uploads
        where workspace_id = $1 and source_id = $2 and key > $3 and uploaded_at <= $4::timestamptz
          and ($5::timestamptz is null or uploaded_at > $5::timestamptz)
        order by key limit $6),
    known as materialized (
      select d.key, d.hash from knowledge_documents d
        where d.source_id = $2 and d.key in (select key from listed) and d.deleted_at is null
          and d.read_version is not distinct from $7)
    select l.key, l.title, l.content_type as "contentType", l.hash, u.content
      from listed l
      left join known k on k.key = l.key and k.hash = l.hash
      left join knowledge_uploads u on k.key is null and l.size <= ${SHORT} and u.source_id = $2 and u.key = l.key
      order by l.key`,
};
const CONTENT: Statement = {
  name: 'knowledge_uploads.content',
  text: 'select content from knowledge_uploads where workspace_id = $1 and source_id = $2 and key = $3',
};
const COUNT: Statement = {
  name: 'knowledge_uploads.count',
  text: `select count(*)::integer as count from knowledge_uploads where workspace_id = $1 and source_id = $2
    and (uploaded_at > $4::timestamptz or key > $3 and ($5::timestamptz is null or uploaded_at > $5::timestamptz))`,
};
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

  async put(upload: NewUpload, transaction: Transaction): Promise<void> {
    const { workspaceId, sourceId, key, title, contentType, hash, content, uploadedBy } = upload;
    const values = [workspaceId, sourceId, key, title, contentType, content.length, hash, content, uploadedBy];
    await storeBytes(transaction, { text: PUT, values, bytes: content.length });
  }

  /** Short uploads contain their bytes, which saves a query for each. */
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

  async readContent(workspaceId: string, sourceId: string, key: string): Promise<Buffer | undefined> {
    const [row] = await this.statements.query<{ content: Buffer }>(CONTENT, [workspaceId, sourceId, key]);
    return row?.content;
  }

  async remove(workspaceId: string, sourceId: string, key: string, { manager }: Transaction): Promise<boolean> {
    const removed = await manager.query<unknown[]>(
      'with gone as (delete from knowledge_uploads where workspace_id = $1 and source_id = $2 and key = $3 returning 1) select * from gone',
      [workspaceId, sourceId, key],
    );
    return removed.length > 0;
  }
}
