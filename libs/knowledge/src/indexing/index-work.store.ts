import { type DueWork, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { IndexSettings, KnowledgeSettings } from '../bases/knowledge-settings.js';
import type { IndexError } from '../bases/knowledge-base.entity.js';

/** A later claim has a higher `attempt`. */
export interface ClaimedIndex {
  workspaceId: string;
  knowledgeBaseId: string;
  attempt: number;
}

export interface IndexState {
  generation: number;
  building: number | null;
  /** Settings of the searched generation (`generation`). The generation `building` is built with `settings`. */
  indexed: IndexSettings;
  settings: KnowledgeSettings;
  error: IndexError | null;
  failures: number;
}

const DUE = `knowledge_bases k join workspaces w on w.id = k.workspace_id and w.state = 'active'
      where k.index_due_at <= statement_timestamp() and k.deleted_at is null`;

export const DUE_INDEX_WORK: DueWork = { name: 'index_work', isDue: `exists (select from ${DUE})` };

/**
 * Claims one due knowledge base of a workspace that is not stopped, for `$1` milliseconds. Two workers never claim the
 * same base.
 */
const CLAIM: Statement = {
  name: 'knowledge_index.claim',
  text: `update knowledge_bases b set index_attempt = b.index_attempt + 1,
      index_due_at = clock_timestamp() + $1 * interval '1 millisecond'
    from (select k.id from ${DUE} and ($2::text is null or k.id = $2)
      order by k.index_due_at limit 1 for no key update of k skip locked) due
    where b.id = due.id
  returning b.workspace_id as "workspaceId", b.id as "knowledgeBaseId", b.index_attempt as attempt`,
};

const MINE = `b.workspace_id = $1 and b.id = $2 and b.index_attempt = $3 and b.deleted_at is null`;

const RENEW: Statement = {
  name: 'knowledge_index.renew',
  text: `update knowledge_bases b set index_due_at = clock_timestamp() + $4 * interval '1 millisecond' from workspaces w
    where ${MINE} and b.index_due_at is not null and w.id = b.workspace_id and w.state = 'active' returning 1 as one`,
};

const STATE: Statement = {
  name: 'knowledge_index.state',
  text: `select generation, building, indexed, settings, index_error as error, index_failures as failures
    from knowledge_bases where workspace_id = $1 and id = $2 and deleted_at is null`,
};

/**
 * `$5` is the delay in milliseconds that the provider requested. If `$5` is null, the delay grows with the number of
 * failures.
 */
const FAIL: Statement = {
  name: 'knowledge_index.fail',
  text: `update knowledge_bases b set index_error = $4, index_failures = b.index_failures + 1,
      index_due_at = clock_timestamp() + interval '1 millisecond'
        * greatest(1000, least(3600000, coalesce($5::float8, least(600000, 5000 * power(2, least(b.index_failures, 10))))))
    where ${MINE}`,
};

const RELEASE: Statement = {
  name: 'knowledge_index.release',
  text: `update knowledge_bases b set index_due_at = clock_timestamp() + $4 * interval '1 millisecond' where ${MINE}
    and b.index_due_at is not null`,
};

const CLEAR_ERROR: Statement = {
  name: 'knowledge_index.clear_error',
  text: `update knowledge_bases b set index_error = null, index_failures = 0 where ${MINE} and b.index_error is not null`,
};

/**
 * Comparing the settings is not enough, because a worker of an older release may have built the index with the same
 * settings.
 */
const REBUILD_OUTDATED: Statement = {
  name: 'knowledge_index.rebuild_outdated',
  text: `update knowledge_bases set building = last_generation + 1, last_generation = last_generation + 1, index_error = null,
      index_failures = 0, index_due_at = clock_timestamp()
    where building is null and deleted_at is null and coalesce((indexed ->> 'version')::integer, 1) < $1`,
};

/** The new attempt number revokes an existing claim. */
const RETRY_NOW: Statement = {
  name: 'knowledge_index.retry_now',
  text: `update knowledge_bases set index_due_at = clock_timestamp(), index_attempt = index_attempt + 1, index_error = null
    where workspace_id = $1 and id = $2 and index_error is not null and index_due_at is not null`,
};

/** Leases use the clock of the database. */
@Injectable()
export class IndexWorkStore {
  constructor(private readonly statements: Statements) {}

  async claimIndex(leaseMillis: number, knowledgeBaseId: string | null = null): Promise<ClaimedIndex | undefined> {
    const [claimed] = await this.statements.query<ClaimedIndex>(CLAIM, [leaseMillis, knowledgeBaseId]);
    return claimed;
  }

  async renewClaim(index: ClaimedIndex, leaseMillis: number): Promise<boolean> {
    return (await this.statements.query(RENEW, [...mine(index), leaseMillis])).length > 0;
  }

  async readState(index: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>): Promise<IndexState | undefined> {
    const [state] = await this.statements.query<IndexState>(STATE, [index.workspaceId, index.knowledgeBaseId]);
    return state;
  }

  async recordFailure(index: ClaimedIndex, error: IndexError, retryAfterMillis: number | null): Promise<void> {
    await this.statements.query(FAIL, [...mine(index), JSON.stringify(error), retryAfterMillis]);
  }

  async releaseIndex(index: ClaimedIndex, delayMillis: number): Promise<void> {
    await this.statements.query(RELEASE, [...mine(index), delayMillis]);
  }

  async clearError(index: ClaimedIndex): Promise<void> {
    await this.statements.query(CLEAR_ERROR, mine(index));
  }

  async rebuildOutdated(version: number): Promise<void> {
    await this.statements.query(REBUILD_OUTDATED, [version]);
  }

  async retryNow({
    workspaceId,
    knowledgeBaseId,
  }: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>): Promise<void> {
    await this.statements.query(RETRY_NOW, [workspaceId, knowledgeBaseId]);
  }
}

function mine({ workspaceId, knowledgeBaseId, attempt }: ClaimedIndex): unknown[] {
  return [workspaceId, knowledgeBaseId, attempt];
}
