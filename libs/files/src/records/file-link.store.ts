import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface FileLink {
  workspaceId: string;
  fileId: string;
  isOnce: boolean;
}

const INSERT =
  'insert into file_links (token_hash, workspace_id, file_id, once, expires_at) values ($1, $2, $3, $4, $5)';

const ENSURE: Statement = {
  name: 'file_links.ensure',
  text: `insert into file_links (token_hash, workspace_id, file_id, once, expires_at) values ($1, $2, $3, false, $4)
    on conflict on constraint file_links_pk do update set expires_at = excluded.expires_at`,
};

const FIND: Statement = {
  name: 'file_links.find',
  text: `select workspace_id as "workspaceId", file_id as "fileId", once as "isOnce" from file_links
    where token_hash = $1 and expires_at > clock_timestamp()`,
};

/** If several downloads spend a link at the same time, only one of them gets a row. */
const SPEND: Statement = {
  name: 'file_links.spend',
  text: 'delete from file_links where token_hash = $1 and once and expires_at > clock_timestamp() returning 1',
};

const REVOKE = `with gone as (delete from file_links where workspace_id = $1 and file_id = $2 returning 1)
  select count(*)::integer as links from gone`;

const DELETE_EXPIRED: Statement = {
  name: 'file_links.delete_expired',
  text: `delete from file_links l using (
      select token_hash from file_links where expires_at <= clock_timestamp() order by expires_at limit $1 for update skip locked) old
    where l.token_hash = old.token_hash returning 1`,
};

/**
 * Finds links by the hash of their token, without the workspace, because a download names only the token. A token has
 * 256 random bits.
 */
@Injectable()
export class FileLinkStore {
  constructor(private readonly statements: Statements) {}

  async insert(tokenHash: Buffer, link: FileLink, expiresAt: Date, { manager }: Transaction): Promise<void> {
    await manager.query(INSERT, [tokenHash, link.workspaceId, link.fileId, link.isOnce, expiresAt]);
  }

  async insertOrExtend(
    tokenHash: Buffer,
    { workspaceId, fileId }: Omit<FileLink, 'isOnce'>,
    expiresAt: Date,
  ): Promise<void> {
    await this.statements.query(ENSURE, [tokenHash, workspaceId, fileId, expiresAt]);
  }

  async find(tokenHash: Buffer): Promise<FileLink | undefined> {
    return (await this.statements.query<FileLink>(FIND, [tokenHash]))[0];
  }

  /** Deletes a link that may be used once. Returns false if it was used before. */
  async spend(tokenHash: Buffer): Promise<boolean> {
    return (await this.statements.query(SPEND, [tokenHash])).length > 0;
  }

  async revoke(workspaceId: string, fileId: string, { manager }: Transaction): Promise<number> {
    const [row] = await manager.query<{ links: number }[]>(REVOKE, [workspaceId, fileId]);
    return row?.links ?? 0;
  }

  /** Deletes up to `limit` expired links and returns their number. */
  async deleteExpired(limit: number): Promise<number> {
    return (await this.statements.query(DELETE_EXPIRED, [limit])).length;
  }
}
