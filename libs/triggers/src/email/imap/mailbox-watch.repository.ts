import { type DueWork, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface ClaimedWatch {
  workspaceId: string;
  agentId: string;
  triggerId: string;
  since: Date;
  cursor: { uidValidity: bigint; lastUid: number } | null;
}

interface WatchRow {
  workspace_id: string;
  agent_id: string;
  trigger_id: string;
  since: Date;
  uid_validity: string | null;
  last_uid: string | null;
}

export type WatchKey = Pick<ClaimedWatch, 'workspaceId' | 'agentId' | 'triggerId'>;

const ACTIVE = `exists (select from agents a join workspaces s on s.id = a.workspace_id
    where a.id = w.agent_id and a.workspace_id = w.workspace_id and a.status = 'active' and s.state = 'active')`;
const MINE = 'w.workspace_id = $1 and w.agent_id = $2 and w.trigger_id = $3 and w.worker = $4';

const DUE = `w.due_at <= statement_timestamp() and (w.lease_until is null or w.lease_until < statement_timestamp()) and ${ACTIVE}`;

export const DUE_MAILBOX_WATCHES: DueWork = {
  name: 'mailbox_watches',
  isDue: `exists (select from mailbox_watches w where ${DUE})`,
};

/** Skips watches that another live worker holds. */
const CLAIM: Statement = {
  name: 'mailbox_watches.claim',
  text: `update mailbox_watches m set worker = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'
    from (select w.agent_id, w.trigger_id from mailbox_watches w where ${DUE}
       order by w.due_at limit $3 for update of w skip locked) due
   where m.agent_id = due.agent_id and m.trigger_id = due.trigger_id
  returning m.workspace_id, m.agent_id, m.trigger_id, m.since, m.uid_validity, m.last_uid`,
};
/** Omits watches that were changed or deleted, watches of a paused agent, and watches in a stopped workspace. */
const RENEW: Statement = {
  name: 'mailbox_watches.renew',
  text: `update mailbox_watches w set lease_until = clock_timestamp() + $2 * interval '1 millisecond'
    where w.worker = $1 and w.lease_until >= clock_timestamp() and ${ACTIVE} returning w.agent_id, w.trigger_id`,
};
const OPENED: Statement = {
  name: 'mailbox_watches.opened',
  text: `update mailbox_watches w set failures = 0, error = null, uid_validity = $5::bigint,
      last_uid = case when w.uid_validity = $5::bigint then w.last_uid else $6::bigint end
    where ${MINE} returning w.last_uid`,
};
const SKIP: Statement = {
  name: 'mailbox_watches.skip',
  text: `update mailbox_watches w set last_uid = $6::bigint where ${MINE} and w.uid_validity = $5::bigint and w.last_uid < $6::bigint`,
};
/**
 * The next attempt is due after 2 seconds, then 4, then always 8 seconds, so that a corrected setting takes effect
 * within 15 seconds.
 */
const FAILED: Statement = {
  name: 'mailbox_watches.failed',
  text: `update mailbox_watches w set failures = w.failures + 1, error = $5, worker = null, lease_until = null,
      due_at = clock_timestamp() + least(8, 2 ^ least(w.failures + 1, 3)) * interval '1 second' where ${MINE}`,
};
const RELEASE: Statement = {
  name: 'mailbox_watches.release',
  text: `update mailbox_watches w set worker = null, lease_until = null where ${MINE}`,
};

/** All times are times of the database's clock. */
@Injectable()
export class MailboxWatchRepository {
  constructor(private readonly statements: Statements) {}

  async claim(worker: string, leaseMillis: number, limit: number): Promise<ClaimedWatch[]> {
    const rows = await this.statements.query<WatchRow>(CLAIM, [worker, leaseMillis, limit]);
    return rows.map((row) => ({
      workspaceId: row.workspace_id,
      agentId: row.agent_id,
      triggerId: row.trigger_id,
      since: row.since,
      cursor:
        row.uid_validity === null ? null : { uidValidity: BigInt(row.uid_validity), lastUid: Number(row.last_uid) },
    }));
  }

  async renew(worker: string, leaseMillis: number): Promise<ReadonlySet<string>> {
    const rows = await this.statements.query<WatchRow>(RENEW, [worker, leaseMillis]);
    return new Set(rows.map((row) => `${row.agent_id}/${row.trigger_id}`));
  }

  /**
   * Records that the folder was opened. Returns the uid after which the worker continues: `startAt` if this UIDVALIDITY
   * is new, otherwise the last uid that was processed. Returns undefined if the worker has lost the watch.
   */
  async opened(
    watch: WatchKey,
    worker: string,
    uidValidity: bigint,
    startAt: number,
  ): Promise<{ lastUid: number } | undefined> {
    const values = [...mine(watch, worker), uidValidity, startAt];
    const [row] = await this.statements.query<{ last_uid: string }>(OPENED, values);
    return row && { lastUid: Number(row.last_uid) };
  }

  async skip(watch: WatchKey, worker: string, uidValidity: bigint, uid: number): Promise<void> {
    await this.statements.query(SKIP, [...mine(watch, worker), uidValidity, uid]);
  }

  async failed(watch: WatchKey, worker: string, error: string): Promise<void> {
    await this.statements.query(FAILED, [...mine(watch, worker), error]);
  }

  async release(watch: WatchKey, worker: string): Promise<void> {
    await this.statements.query(RELEASE, mine(watch, worker));
  }
}

function mine({ workspaceId, agentId, triggerId }: WatchKey, worker: string): unknown[] {
  return [workspaceId, agentId, triggerId, worker];
}
