import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface StorageRecord {
  installationId: string;
  isMarked: boolean;
}

const COLUMNS = `installation_id as "installationId", marked_at is not null as "isMarked"`;

const FIND: Statement = { name: 'file_storage.find', text: `select ${COLUMNS} from file_storage` };

const ADD: Statement = {
  name: 'file_storage.add',
  text: 'insert into file_storage default values on conflict do nothing',
};

/** Seconds for which a worker counts as waiting for the storage after its last report. */
const UNSEEN_SECONDS = 20;

const REPORT_UNSEEN: Statement = {
  name: 'file_storage.report_unseen',
  text: 'update file_storage set unseen_at = clock_timestamp() returning 1',
};

const IS_UNSEEN: Statement = {
  name: 'file_storage.is_unseen',
  text: `select coalesce(unseen_at > clock_timestamp() - interval '${UNSEEN_SECONDS} s', false) as "isUnseen" from file_storage`,
};

const READY_PAGE: Statement = {
  name: 'file_storage.ready_page',
  text: `select id, workspace_id as "workspaceId", bytes::float8 as bytes, sha256, key from files
    where id > $1 and status = 'ready' and (expires_at is null or expires_at > clock_timestamp()) order by id limit $2`,
};

const READY_OF: Statement = {
  name: 'file_storage.ready_of',
  text: `select id from files where id = any ($1) and status = 'ready'`,
};

export interface StoredFileRow {
  id: string;
  workspaceId: string;
  bytes: number;
  sha256: string;
  key: Buffer;
}

@Injectable()
export class FileStorageStore {
  constructor(private readonly statements: Statements) {}

  async find(): Promise<StorageRecord | undefined> {
    return (await this.statements.query<StorageRecord>(FIND, []))[0];
  }

  async addIfMissing(): Promise<void> {
    await this.statements.query(ADD, []);
  }

  /** Locks the row until the commit, so that only one api writes the marker. */
  async lock({ manager }: Transaction): Promise<StorageRecord> {
    const [row] = await manager.query<StorageRecord[]>(`select ${COLUMNS} from file_storage for update`);
    return row!;
  }

  async setMarked({ manager }: Transaction): Promise<void> {
    await manager.query('update file_storage set marked_at = clock_timestamp()');
  }

  /** Returns up to `limit` files of all workspaces after this id whose bytes must be there, in the order of their ids. */
  readyAfter(id: string, limit: number): Promise<StoredFileRow[]> {
    return this.statements.query<StoredFileRow>(READY_PAGE, [id, limit]);
  }

  async readyOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.statements.query<{ id: string }>(READY_OF, [ids])).map(({ id }) => id));
  }

  async reportUnseen(): Promise<void> {
    await this.statements.query(REPORT_UNSEEN, []);
  }

  async isUnseen(): Promise<boolean> {
    return (await this.statements.query<{ isUnseen: boolean }>(IS_UNSEEN, []))[0]?.isUnseen ?? false;
  }
}
