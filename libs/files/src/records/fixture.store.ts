import { Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { PageRequest } from '@app/kernel';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { FileEntity } from './file.entity.js';
import type { NewFile } from './file.repository.js';

/** The id is that of the file. */
export interface Fixture {
  id: string;
  name: string;
  file: FileEntity;
}

const LOCK = `select pg_advisory_xact_lock(hashtextextended('fixtures.' || $1, 0))`;
const LOCK_SHARED = `select pg_advisory_xact_lock_shared(hashtextextended('fixtures.' || $1, 0))`;

const FIND = {
  name: 'fixtures.find',
  text: 'select name, file_id as file from fixtures where workspace_id = $1 and name = any ($2)',
};

const PAGE = (order: PageRequest['order']) => ({
  name: `fixtures.page_${order}`,
  text: `select name, file_id as file from fixtures
    where workspace_id = $1 and ($2::text is null or file_id ${order === 'asc' ? '>' : '<'} $2) order by file_id ${order} limit $3`,
});

const BYTES = {
  name: 'fixtures.bytes',
  text: `select coalesce(sum(f.bytes), 0)::float8 as bytes from fixtures x join files f on f.id = x.file_id
    where x.workspace_id = $1 and x.name is distinct from $2`,
};

// A file that no fixture has any more expires, unless a run or an evaluation refers to it.
const SET = `with former as (
    update files set expires_at = clock_timestamp()
      where id = (select file_id from fixtures where workspace_id = $1 and name = $2)
  ), held as (
    update files set expires_at = 'infinity' where workspace_id = $1 and id = $3
  )
  insert into fixtures (workspace_id, name, file_id) values ($1, $2, $3)
    on conflict on constraint fixtures_pk do update set file_id = excluded.file_id`;

const DELETE = `with gone as (delete from fixtures where workspace_id = $1 and name = $2 returning file_id),
  released as (update files set expires_at = clock_timestamp() where id in (select file_id from gone))
  select file_id as file from gone`;

/** The caller of a method with a transaction holds the lock of the workspace ({@link FixtureStore.lock}). */
@Injectable()
export class FixtureStore {
  constructor(
    @InjectRepository(FileEntity) private readonly files: Repository<FileEntity>,
    private readonly statements: Statements,
  ) {}

  /** Until the commit, no other transaction changes the fixtures of the workspace. */
  async lock(workspaceId: string, { manager }: Transaction, mode: 'change' | 'use'): Promise<void> {
    await manager.query(mode === 'change' ? LOCK : LOCK_SHARED, [workspaceId]);
  }

  async find(workspaceId: string, names: readonly string[], transaction?: Transaction): Promise<Fixture[]> {
    const rows = transaction
      ? await transaction.manager.query<Row[]>(FIND.text, [workspaceId, names])
      : await this.statements.query<Row>(FIND, [workspaceId, names]);
    return this.withFiles(workspaceId, rows, transaction);
  }

  /** Fixtures in the order of their files, at most one more than `limit`. */
  async page(workspaceId: string, { limit, order, after }: PageRequest): Promise<Fixture[]> {
    const rows = await this.statements.query<Row>(PAGE(order), [workspaceId, after ?? null, limit + 1]);
    return this.withFiles(workspaceId, rows);
  }

  /** Bytes of all fixtures of the workspace except this one. */
  async bytes(workspaceId: string, except: string | null, transaction?: Transaction): Promise<number> {
    const values = [workspaceId, except];
    const rows = transaction
      ? await transaction.manager.query<{ bytes: number }[]>(BYTES.text, values)
      : await this.statements.query<{ bytes: number }>(BYTES, values);
    return rows[0]?.bytes ?? 0;
  }

  async set(name: string, file: NewFile, { manager }: Transaction): Promise<void> {
    await manager.insert(FileEntity, file);
    await manager.query(SET, [file.workspaceId, name, file.id]);
  }

  /** Returns the id of its file, or undefined if there is no such fixture. */
  async delete(workspaceId: string, name: string, { manager }: Transaction): Promise<string | undefined> {
    const [row] = await manager.query<{ file: string }[]>(DELETE, [workspaceId, name]);
    return row?.file;
  }

  private async withFiles(workspaceId: string, rows: readonly Row[], transaction?: Transaction): Promise<Fixture[]> {
    const table = transaction?.manager.getRepository(FileEntity) ?? this.files;
    const found = rows.length === 0 ? [] : await table.findBy({ workspaceId, id: In(rows.map(({ file }) => file)) });
    const byId = new Map(found.map((file) => [file.id, file]));
    return rows.flatMap(({ name, file: id }) => {
      const file = byId.get(id);
      return file ? [{ id, name, file }] : [];
    });
  }
}

type Row = { name: string; file: string };
