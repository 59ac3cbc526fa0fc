import { newId } from '@app/kernel';
import { type DueWork, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface ClaimedPoll {
  workspaceId: string;
  agentId: string;
  triggerId: string;
}

/** All times are times of the database's clock. */
export interface BegunPoll {
  beganAt: Date;
  epoch: string;
  version: number;
  lastAt: Date | null;
  remembered: string | null;
}

export type PollOutcome = { isComplete: boolean } | { error: string };

export const DUE_POLLS: DueWork = {
  name: 'polls',
  isDue: `exists (select from poll_watches p
    where p.due_at <= statement_timestamp() and (p.lease_until is null or p.lease_until < statement_timestamp()))`,
};
const CLAIM: Statement = { name: 'polls.claim', text: 'select * from triggers.claim_polls($1, $2, $3)' };
const RENEW: Statement = { name: 'polls.renew', text: 'select * from triggers.renew_polls($1, $2)' };
const BEGIN: Statement = { name: 'polls.begin', text: 'select * from triggers.begin_poll($1, $2, $3, $4)' };
const REMEMBER: Statement = {
  name: 'polls.remember',
  text: 'select triggers.remember_poll($1, $2, $3, $4, $5, $6::text[], $7) as is_mine',
};
const UNSEEN: Statement = {
  name: 'polls.unseen_keys',
  text: 'select key from triggers.unseen_keys($1, $2, $3::text[], $4)',
};
const END: Statement = { name: 'polls.end', text: 'select triggers.end_poll($1, $2, $3, $4, $5, $6, $7, $8)' };
const RELEASE: Statement = {
  name: 'polls.release',
  text: `update poll_watches p set worker = null, lease_until = null
    where p.workspace_id = $1 and p.agent_id = $2 and p.trigger_id = $3 and p.worker = $4`,
};

/** To save writes, this time is extended at most once a day. */
export const KEEP_KEY_MILLIS = 91 * 24 * 3_600_000;

@Injectable()
export class PollStore {
  constructor(private readonly statements: Statements) {}

  async claim(worker: string, leaseMillis: number, limit: number): Promise<ClaimedPoll[]> {
    const rows = await this.statements.query<{ workspace_id: string; agent_id: string; trigger_id: string }>(CLAIM, [
      worker,
      leaseMillis,
      limit,
    ]);
    return rows.map((row) => ({ workspaceId: row.workspace_id, agentId: row.agent_id, triggerId: row.trigger_id }));
  }

  /** Returns the keys (`agent/trigger`) of the polls that the worker still holds. */
  async renew(worker: string, leaseMillis: number): Promise<ReadonlySet<string>> {
    const values = [worker, leaseMillis];
    const rows = await this.statements.query<{ agent_id: string; trigger_id: string }>(RENEW, values);
    return new Set(rows.map((row) => `${row.agent_id}/${row.trigger_id}`));
  }

  /**
   * Returns undefined if the worker must not poll, because it has lost the lease, the agent is not active, or the
   * workspace is stopped.
   */
  async begin(poll: ClaimedPoll, worker: string): Promise<BegunPoll | undefined> {
    interface Row {
      began_at: Date;
      epoch: string;
      version: number;
      last_at: Date | null;
      remembered: string | null;
    }
    const [row] = await this.statements.query<Row>(BEGIN, mine(poll, worker));
    return row && { ...row, beganAt: row.began_at, lastAt: row.last_at };
  }

  async remember(poll: ClaimedPoll, worker: string, remembered: string, keys: readonly string[]): Promise<boolean> {
    const values = [...mine(poll, worker), remembered, keys, KEEP_KEY_MILLIS];
    const [row] = await this.statements.query<{ is_mine: boolean }>(REMEMBER, values);
    return row!.is_mine;
  }

  /** Stores the rest of `keys` for another `KEEP_KEY_MILLIS`. */
  async unseen({ workspaceId, agentId }: ClaimedPoll, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.statements.query<{ key: string }>(UNSEEN, [workspaceId, agentId, keys, KEEP_KEY_MILLIS]);
    return new Set(rows.map(({ key }) => key));
  }

  /** Does nothing if the worker has lost the lease. */
  async end(
    poll: ClaimedPoll,
    worker: string,
    times: { began: Date; next: Date },
    outcome: PollOutcome,
  ): Promise<void> {
    const isComplete = 'isComplete' in outcome && outcome.isComplete;
    const error = 'error' in outcome ? outcome.error : null;
    const values = [...mine(poll, worker), times.next, isComplete ? times.began : null, error, newId('event')];
    await this.statements.query(END, values);
  }

  /** The poll stays due. */
  async release(poll: ClaimedPoll, worker: string): Promise<void> {
    await this.statements.query(RELEASE, mine(poll, worker));
  }
}

function mine({ workspaceId, agentId, triggerId }: ClaimedPoll, worker: string): unknown[] {
  return [workspaceId, agentId, triggerId, worker];
}
