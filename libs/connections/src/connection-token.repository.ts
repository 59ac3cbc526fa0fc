import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TokenPlace } from './token-owners.js';

export interface StoredTokens {
  tokens: Buffer;
  isExpiring: boolean;
}

/** `expiresIn` is in seconds. */
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

const REMOVE = 'delete from knowledge_source_tokens where workspace_id = $1 and source_id = any ($2::text[])';

@Injectable()
export class ConnectionTokenRepository {
  constructor(private readonly statements: Statements) {}

  async find({ workspaceId, sourceId }: TokenPlace): Promise<StoredTokens | undefined> {
    return (await this.statements.query<StoredTokens>(FIND, [workspaceId, sourceId]))[0];
  }

  async lock({ workspaceId, sourceId }: TokenPlace, { manager }: Transaction): Promise<StoredTokens | undefined> {
    return (await manager.query<StoredTokens[]>(LOCK, [workspaceId, sourceId]))[0];
  }

  async put({ workspaceId, sourceId, tokens, expiresIn }: NewTokens, { manager }: Transaction): Promise<void> {
    await manager.query(PUT, [workspaceId, sourceId, tokens, expiresIn]);
  }

  async remove(workspaceId: string, sourceIds: readonly string[], { manager }: Transaction): Promise<void> {
    await manager.query(REMOVE, [workspaceId, sourceIds]);
  }
}
