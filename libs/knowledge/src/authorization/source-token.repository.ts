import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** Which source's. */
export interface TokenPlace {
  workspaceId: string;
  sourceId: string;
}

export interface StoredTokens {
  tokens: Buffer;
  /** By the clock of the database, and early enough for the request that is to be made. */
  isExpiring: boolean;
}

/** Null for `expiresIn` (seconds): the provider did not say. */
export interface NewTokens extends TokenPlace {
  tokens: Buffer;
  expiresIn: number | null;
}

const EXPIRING = `coalesce(t.expires_at <= clock_timestamp() + interval '60 seconds', false) as "isExpiring"`;

const FIND: Statement = {
  name: 'knowledge_source_tokens.find',
  text: `select t.tokens, ${EXPIRING} from knowledge_source_tokens t where t.workspace_id = $1 and t.source_id = $2`,
};
const LOCK = `select t.tokens, ${EXPIRING} from knowledge_source_tokens t where t.workspace_id = $1 and t.source_id = $2 for update`;

const PUT = `insert into knowledge_source_tokens (workspace_id, source_id, tokens, expires_at)
  values ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
  on conflict (source_id) do update set tokens = excluded.tokens, expires_at = excluded.expires_at, updated_at = clock_timestamp()`;

const STATE = `update knowledge_sources set authorization_state = $3, updated_at = clock_timestamp()
  where workspace_id = $1 and id = $2 and deleted_at is null`;

@Injectable()
export class SourceTokenRepository {
  constructor(private readonly statements: Statements) {}

  async find({ workspaceId, sourceId }: TokenPlace): Promise<StoredTokens | undefined> {
    return (await this.statements.query<StoredTokens>(FIND, [workspaceId, sourceId]))[0];
  }

  /** Until the transaction ends nobody else reads or refreshes them under a lock, in this process or another. */
  async lock({ workspaceId, sourceId }: TokenPlace, { manager }: Transaction): Promise<StoredTokens | undefined> {
    return (await manager.query<StoredTokens[]>(LOCK, [workspaceId, sourceId]))[0];
  }

  async put({ workspaceId, sourceId, tokens, expiresIn }: NewTokens, { manager }: Transaction): Promise<void> {
    await manager.query(PUT, [workspaceId, sourceId, tokens, expiresIn]);
  }

  /** Of the source: `expired` wants somebody to authorise it anew. */
  async setState(
    { workspaceId, sourceId }: TokenPlace,
    state: 'authorized' | 'expired',
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(STATE, [workspaceId, sourceId, state]);
  }

  async remove({ workspaceId, sourceId }: TokenPlace, { manager }: Transaction): Promise<void> {
    await manager.query('delete from knowledge_source_tokens where workspace_id = $1 and source_id = $2', [
      workspaceId,
      sourceId,
    ]);
  }
}
