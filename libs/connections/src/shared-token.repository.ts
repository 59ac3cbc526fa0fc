import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TokenOwner } from './token-owners.js';

export interface LeasedTokens {
  tokens: Buffer | null;
  revision: number;
}

export interface FoundTokens extends LeasedTokens {
  /** True if a token is stored and has not expired. */
  isUsable: boolean;
  /** True if it is time to renew the tokens. */
  isDue: boolean;
}

/** `expiresIn` is in seconds. */
export interface NewSharedTokens {
  tokens: Buffer;
  expiresIn: number | null;
}

/**
 * Prefix of `oauth_tokens.key` for client credentials. Their tokens have no owner with which they are deleted.
 * Therefore {@link SharedTokenRepository.purge} deletes expired tokens 30 days after their last renewal.
 */
export const CLIENT_CREDENTIALS_PREFIX = 'client_credentials/';

/** The lease is longer than a request to a token endpoint may take. */
const LEASE = `clock_timestamp() + interval '60 seconds'`;
/** Pause after a failed renewal if the current token is still valid. Until the pause ends, processes use that token. */
const RETRY_PAUSE = `clock_timestamp() + interval '5 seconds'`;

const IS_USABLE = `(t.tokens is not null and coalesce(t.expires_at > clock_timestamp(), true))`;
const IS_DUE = `(t.tokens is null or coalesce(t.renew_at <= clock_timestamp(), false))`;

/**
 * The renewal is due when a tenth of the lifetime is left, or 60 seconds before the tokens expire, whichever is later.
 */
const TIMES = (
  seconds: string,
): string => `renew_at = clock_timestamp() + (${seconds} - least(60, ${seconds} / 10)) * interval '1 second',
  expires_at = clock_timestamp() + ${seconds} * interval '1 second'`;

const FIND: Statement = {
  name: 'oauth_tokens.find',
  text: `select t.tokens, t.revision, ${IS_USABLE} as "isUsable", ${IS_DUE} as "isDue"
    from oauth_tokens t where t.workspace_id = $1 and t.key = $2`,
};
/**
 * Leases the tokens if their renewal is due, or if revision `$3`, which a server has rejected, is still the current
 * one. Returns no row if another process has the lease, or if there is nothing to renew.
 */
const LEASE_FOR_RENEWAL: Statement = {
  name: 'oauth_tokens.lease',
  text: `insert into oauth_tokens as t (workspace_id, key, leased_until) values ($1, $2, ${LEASE})
    on conflict (workspace_id, key) do update set leased_until = excluded.leased_until
      where coalesce(t.leased_until < clock_timestamp(), true) and (${IS_DUE} or t.revision = $3::integer)
    returning t.tokens, t.revision`,
};
const RENEW: Statement = {
  name: 'oauth_tokens.renew',
  text: `update oauth_tokens as t set tokens = $4, revision = t.revision + 1, leased_until = null,
      updated_at = clock_timestamp(), ${TIMES('$5::float8')}
    where t.workspace_id = $1 and t.key = $2 and t.revision = $3 returning t.revision`,
};
const RELEASE: Statement = {
  name: 'oauth_tokens.release',
  text: `update oauth_tokens as t set leased_until = case when ${IS_USABLE} then ${RETRY_PAUSE} end
    where t.workspace_id = $1 and t.key = $2 and t.revision = $3 returning t.revision`,
};
const PURGE: Statement = {
  name: 'oauth_tokens.purge',
  text: `delete from oauth_tokens where workspace_id = $1 and key like '${CLIENT_CREDENTIALS_PREFIX}%'
      and updated_at < clock_timestamp() - interval '30 days'
      and coalesce(expires_at < clock_timestamp(), true) and coalesce(leased_until < clock_timestamp(), true)
    returning key`,
};

const PUT = `insert into oauth_tokens as t (workspace_id, key, tokens, revision) values ($1, $2, $3, 1)
  on conflict (workspace_id, key) do update set tokens = excluded.tokens, revision = t.revision + 1, leased_until = null`;
const PUT_TIMES = `update oauth_tokens set updated_at = clock_timestamp(), ${TIMES('$3::float8')} where workspace_id = $1 and key = $2`;
const REMOVE = 'delete from oauth_tokens where workspace_id = $1 and key = $2';

@Injectable()
export class SharedTokenRepository {
  constructor(private readonly statements: Statements) {}

  async find({ workspaceId, key }: TokenOwner): Promise<FoundTokens | undefined> {
    return (await this.statements.query<FoundTokens>(FIND, [workspaceId, key]))[0];
  }

  async lease({ workspaceId, key }: TokenOwner, refused: number | null): Promise<LeasedTokens | undefined> {
    return (await this.statements.query<LeasedTokens>(LEASE_FOR_RENEWAL, [workspaceId, key, refused]))[0];
  }

  /** Returns the new revision, or undefined if other tokens were stored during the lease. */
  async renew(
    { workspaceId, key }: TokenOwner,
    revision: number,
    { tokens, expiresIn }: NewSharedTokens,
  ): Promise<number | undefined> {
    const values = [workspaceId, key, revision, tokens, expiresIn];
    return (await this.statements.query<{ revision: number }>(RENEW, values))[0]?.revision;
  }

  async release({ workspaceId, key }: TokenOwner, revision: number): Promise<void> {
    await this.statements.query(RELEASE, [workspaceId, key, revision]);
  }

  /** Deletes expired tokens of client credentials that were last renewed more than 30 days ago. */
  async purge(workspaceId: string): Promise<void> {
    await this.statements.query(PURGE, [workspaceId]);
  }

  async put(
    { workspaceId, key }: TokenOwner,
    { tokens, expiresIn }: NewSharedTokens,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(PUT, [workspaceId, key, tokens]);
    await manager.query(PUT_TIMES, [workspaceId, key, expiresIn]);
  }

  async remove({ workspaceId, key }: TokenOwner, { manager }: Transaction): Promise<void> {
    await manager.query(REMOVE, [workspaceId, key]);
  }
}
