import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { DOCUMENT_SOURCE, FILE_SOURCES, type FileFilter } from './file-status.js';
import { FileEntity } from './file.entity.js';

export interface FileUsage {
  count: number;
  bytes: number;
  /** Files whose bytes were missing or damaged at the last attempt to read them. */
  missing: number;
  /** They do not count towards the quota. */
  fixtureBytes: number;
}

export type NewFile = Omit<
  FileEntity,
  'status' | 'createdAt' | 'deletedAt' | 'key' | 'usedUntil' | 'bytesMissingAt' | 'writeKey'
> & { key: Buffer; writeKey?: Buffer | null };

/** The bytes of documents are in the same table. */
const IS_FILE = In([...FILE_SOURCES]);
const IS_READY = `file.source <> '${DOCUMENT_SOURCE}' and file.status = 'ready' and not files.is_over(file.expires_at, file.used_until, :retentionDays)`;
const IS_VISIBLE = `(file.createdBy = :createdBy
  or exists (select from file_references r where r.file_id = file.id and r.agent_id = any (:agents)))`;
const OF_RUN = 'exists (select from file_references r where r.run_id = :run and r.file_id = file.id)';

// The row of the sums is locked until the commit, so concurrent uploads add up.
const COUNT_NEW = `insert into file_usage as u (workspace_id, files, bytes)
    select $1, 1, $2::bigint where $3::bigint = 0 or $2::bigint <= $3::bigint
  on conflict on constraint file_usage_pk do update
    set files = u.files + 1, bytes = u.bytes + excluded.bytes
    where $3::bigint = 0 or u.bytes + excluded.bytes <= $3::bigint
  returning 1`;

const deleting = (chosen: string): string => `with gone as (
    update files f set status = 'deleted', key = null, deleted_at = clock_timestamp()
      from (${chosen}) c where f.id = c.id and f.status = 'ready'
      returning f.id, f.workspace_id, f.bytes, f.source
  ), counted as (
    update file_usage u set files = u.files - g.files, bytes = u.bytes - g.bytes
      from (select workspace_id, count(*) as files, sum(bytes) as bytes from gone where source <> 'fixture' group by workspace_id) g
      where u.workspace_id = g.workspace_id
  )
  select id from gone`;

const NOT_IN_USE = `used_until is distinct from 'infinity' and expires_at is distinct from 'infinity'`;

const DELETE_ONE = deleting(`select id from files where workspace_id = $1 and id = $2 and ${NOT_IN_USE} for update`);

const USER = `select case when expires_at = 'infinity' then 'fixture' else 'run' end as user from files
  where workspace_id = $1 and id = $2 and status = 'ready' and 'infinity' in (used_until, expires_at)`;

const DELETE_UNUSED: Statement = {
  name: 'files.delete_unused',
  text: deleting(
    "select id from files where workspace_id = $1 and id = any ($2) and used_until is null and expires_at is distinct from 'infinity' for update",
  ),
};

const DELETE_EXPIRED: Statement = {
  name: 'files.delete_expired',
  // One part for each index. The condition holds again for the locked rows, to which a run may have begun to refer.
  text: deleting(`select f.id from files f where f.status = 'ready' and files.is_over(f.expires_at, f.used_until, $2) and f.id in (
      (select e.id from files e where e.status = 'ready' and e.used_until is null and e.expires_at <= clock_timestamp()
        and ($1::text is null or e.workspace_id = $1) order by e.expires_at limit $3)
      union all
      (select u.id from files u where u.status = 'ready' and u.used_until is not null
        and u.used_until <= clock_timestamp() - $2::integer * interval '1 day' and files.is_over(u.expires_at, u.used_until, $2)
        and ($1::text is null or u.workspace_id = $1) order by u.used_until limit $3))
    limit $3 for update skip locked`),
};

const PURGE_DELETED: Statement = {
  name: 'files.purge_deleted',
  text: `delete from files f using (
      select id from files d where status = 'deleted' and deleted_at < clock_timestamp() - $1 * interval '1 day'
        and not exists (select from file_references r where r.file_id = d.id)
        order by deleted_at limit $2 for update skip locked) old
    where f.id = old.id returning f.id`,
};

const FIND_READY: Statement = {
  name: 'files.find_ready',
  text: `select id from files where id = any ($1) and status = 'ready'`,
};

const SPARED_BEFORE: Statement = {
  name: 'files.spared_before',
  text: 'select spared_before as "sparedBefore" from file_storage',
};

const RECORD_BYTES: Statement = {
  name: 'files.record_bytes',
  text: `update files set bytes_missing_at = case when $3 then clock_timestamp() end where workspace_id = $1 and id = $2`,
};

const SUMS: Statement = {
  name: 'files.sums',
  text: `select coalesce(u.files, 0) as count, coalesce(u.bytes, 0) as bytes,
      (select count(*) from files where workspace_id = $1 and status = 'ready' and bytes_missing_at is not null) as missing,
      (select coalesce(sum(f.bytes), 0) from fixtures x join files f on f.id = x.file_id where x.workspace_id = $1) as "fixtureBytes"
    from (select $1::text as id) w left join file_usage u on u.workspace_id = w.id`,
};

/** Statements that concern files of all workspaces do not name one. Only the sweep calls them. */
@Injectable()
export class FileRepository {
  constructor(
    @InjectRepository(FileEntity) private readonly table: Repository<FileEntity>,
    private readonly statements: Statements,
  ) {}

  find(workspaceId: string, id: string): Promise<FileEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, id, source: IS_FILE }));
  }

  page(
    workspaceId: string,
    { visible, run, source, since }: FileFilter,
    retentionDays: number,
    { limit, order, after }: PageRequest,
  ): Promise<FileEntity[]> {
    const query = this.table
      .createQueryBuilder('file')
      .where('file.workspaceId = :workspaceId', { workspaceId })
      .andWhere(IS_READY, { retentionDays })
      .orderBy('file.id', order === 'asc' ? 'ASC' : 'DESC')
      .limit(limit + 1);
    if (after !== undefined) query.andWhere(order === 'asc' ? 'file.id > :after' : 'file.id < :after', { after });
    if (visible) query.andWhere(IS_VISIBLE, visible);
    if (run !== undefined) query.andWhere(OF_RUN, { run });
    if (source !== undefined) query.andWhere('file.source = :source', { source });
    if (since !== undefined) query.andWhere('file.createdAt >= :since', { since });
    return orUnavailable(query.getMany());
  }

  /** Returns false, and inserts nothing, if the sum would exceed `limit`. 0 means no limit. */
  async insert(file: NewFile, limit: number, { manager }: Transaction): Promise<boolean> {
    const counted = await manager.query<unknown[]>(COUNT_NEW, [file.workspaceId, file.bytes, limit]);
    if (counted.length === 0) return false;
    await manager.insert(FileEntity, file);
    return true;
  }

  findAll(workspaceId: string, ids: readonly string[]): Promise<FileEntity[]> {
    return orUnavailable(this.table.findBy({ workspaceId, id: In([...ids]), source: IS_FILE }));
  }

  /** Returns what keeps a file from being deleted: a fixture, or a run that has not ended. */
  async userOf(workspaceId: string, id: string, { manager }: Transaction): Promise<'run' | 'fixture' | undefined> {
    const [row] = await manager.query<{ user: 'run' | 'fixture' }[]>(USER, [workspaceId, id]);
    return row?.user;
  }

  /** Returns the file that this write has stored. */
  findWritten(workspaceId: string, writeKey: Buffer): Promise<FileEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, writeKey }));
  }

  /** Locks the write until the commit, and returns the id of its file if it has one. */
  async lockWrite(workspaceId: string, writeKey: Buffer, { manager }: Transaction): Promise<string | undefined> {
    await manager.query(`select pg_advisory_xact_lock(hashtextextended('files.' || $1, 0))`, [
      writeKey.toString('hex'),
    ]);
    return (await manager.findOneBy(FileEntity, { workspaceId, writeKey }))?.id;
  }

  async deleteUnused(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.statements.query<{ id: string }>(DELETE_UNUSED, [workspaceId, ids]);
    return rows.map(({ id }) => id);
  }

  /** Returns false if the file was deleted before, or {@link userOf} returns something. */
  async markDeleted(workspaceId: string, id: string, { manager }: Transaction): Promise<boolean> {
    return (await manager.query<unknown[]>(DELETE_ONE, [workspaceId, id])).length > 0;
  }

  /** Files of runs are kept for `retentionDays` after the end of the last one, or for ever if this is 0. */
  async markExpired(workspaceId: string | null, retentionDays: number, limit: number): Promise<string[]> {
    const rows = await this.statements.query<{ id: string }>(DELETE_EXPIRED, [workspaceId, retentionDays, limit]);
    return rows.map(({ id }) => id);
  }

  async purgeDeleted(days: number, limit: number): Promise<number> {
    return (await this.statements.query(PURGE_DELETED, [days, limit])).length;
  }

  async ready(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.statements.query<{ id: string }>(FIND_READY, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the time before which the sweep keeps bytes without a row, or null if it keeps none. */
  async sparedBefore(): Promise<Date | null> {
    const [row] = await this.statements.query<{ sparedBefore: Date | null }>(SPARED_BEFORE, []);
    return row?.sparedBefore ?? null;
  }

  async recordBytes({ workspaceId, id }: Pick<FileEntity, 'workspaceId' | 'id'>, areMissing: boolean): Promise<void> {
    await this.statements.query(RECORD_BYTES, [workspaceId, id, areMissing]);
  }

  async usage(workspaceId: string): Promise<FileUsage> {
    const [row] = await this.statements.query<Record<keyof FileUsage, string>>(SUMS, [workspaceId]);
    const { count = 0, bytes = 0, missing = 0, fixtureBytes = 0 } = row ?? {};
    return {
      count: Number(count),
      bytes: Number(bytes),
      missing: Number(missing),
      fixtureBytes: Number(fixtureBytes),
    };
  }
}
