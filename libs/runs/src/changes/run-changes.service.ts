import { DomainError, invariant } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { Decider } from '../records/approval-status.js';
import type { RunStatus } from '../records/run-status.js';

const PAGE = 100;

interface SeenTransactions {
  below: string;
  open: readonly string[];
}

export interface ChangePosition {
  seen: SeenTransactions;
  /**
   * `until` contains the transactions that the pages cover in total. `afterXid` and `afterId` identify the last
   * returned change.
   */
  rest?: { until: SeenTransactions; afterXid: string; afterId: string };
  state: string;
}

interface ChangedRun {
  id: string;
  agentId: string;
  status: RunStatus;
  xid: string;
}

interface PresentState {
  status: 'active' | 'stopped';
  epoch: number;
  approvalsOpen: number;
  /** Number of open approvals that the reader may decide and has not approved yet. */
  approvalsMine: number;
}

type ChangesReader = Required<Decider> & { agents: readonly string[] | null };

interface ReadChanges {
  state: PresentState;
  snapshot: string;
  runs: readonly ChangedRun[];
}

export interface Changes extends PresentState {
  runs: readonly ChangedRun[];
  next: ChangePosition;
}

/** The statement returns integers as strings, because they may exceed 2^53. */
interface ChangesRow {
  state: 'active' | 'stopped';
  epoch: string;
  approvals_open: string;
  approvals_mine: string;
  snapshot: string;
  runs: { id: string; agent: string; status: RunStatus; xid: string }[];
}

const AFTER = '(r.change_xid, r.id) > ($7::bigint, $8::text)';
const OF_AGENTS = (table: string) => `($13::text[] is null or ${table}.agent_id = any ($13))`;
const OF_WORKSPACE = `select r.id, r.agent_id, r.status, r.change_xid from runs r where r.workspace_id = $1 and ${AFTER} and ${OF_AGENTS('r')}`;
const IN_ORDER = 'order by r.change_xid, r.id limit $11';

/**
 * Reads the state and the changes in one statement, so that both belong to one snapshot. If $12 is true, the reader
 * decides about test runs only. If $14 is true, the reader decides about nothing. $13 are the agents that exist for the
 * reader, null for all. On the second and later pages, $9 and $10 are the snapshot of the first page. Transactions
 * outside this snapshot are excluded, so that the series of pages ends. After an older backup was restored, transaction
 * ids are lower than before. The comparison with $9 works in this case too.
 */
export const CHANGES: Statement = {
  name: 'run_changes.read',
  text: `
    select w.state, w.epoch, a.open as approvals_open, a.mine as approvals_mine, pg_current_snapshot()::text as snapshot, c.runs
    from workspaces w
    cross join lateral (
      select count(*) as open, count(*) filter (where not $14::boolean and run_machine.may_decide(o, null, $2, $3, $4) is null
          and not jsonb_path_exists(o.decisions, '$[*] ? (@.by == $me && (@.decision == "approve" || @.decision == "edit"))',
            jsonb_build_object('me', $2::text))
          and (not $12::boolean or exists (select from runs t
            where t.workspace_id = o.workspace_id and t.id = o.run_id and t.mode = 'test'))) as mine
        from approvals o where o.workspace_id = w.id and o.status = 'open' and ${OF_AGENTS('o')}) a
    cross join lateral (
      select coalesce(json_agg(json_build_object('id', x.id, 'agent', x.agent_id, 'status', x.status, 'xid', x.change_xid::text)
          order by x.change_xid, x.id), '[]') as runs from (
        select * from (
          (${OF_WORKSPACE} and r.change_xid >= $5::bigint
            and r.change_xid < coalesce($9::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
            and not r.change_xid = any ($10::bigint[]) ${IN_ORDER})
          union all
          (${OF_WORKSPACE} and r.change_xid = any ($6::bigint[]) and not r.change_xid = any ($10::bigint[]) ${IN_ORDER})
        ) r ${IN_ORDER}) x) c
    where w.id = $1`,
};

const NO_CHANGES = '9223372036854775807';

@Injectable()
export class RunChangesService {
  constructor(private readonly statements: Statements) {}

  /**
   * No change is lost, but a run that changes between two pages may be on both pages. Without `position`, returns no
   * runs. Returns null if nothing has changed.
   * @throws DomainError `cursor_expired` if `position` is ahead of the database, because an older backup was restored
   */
  async changesSince(
    workspaceId: string,
    reader: ChangesReader,
    position: ChangePosition | undefined,
  ): Promise<Changes | null> {
    const read = await this.readChanges(workspaceId, reader, position, PAGE + 1);
    if (position && BigInt(position.seen.below) > BigInt(seenIn(read.snapshot).below)) throw restored();
    const next = positionAfter(read, position);
    if (position && !position.rest && read.runs.length === 0 && next.state === position.state) return null;
    return { ...read.state, runs: read.runs.slice(0, PAGE), next };
  }

  private async readChanges(
    workspaceId: string,
    { email, groups, isAdmin, isTest, isAutomation, agents }: ChangesReader,
    position: Omit<ChangePosition, 'state'> | undefined,
    limit: number,
  ): Promise<ReadChanges> {
    const { seen, rest } = position ?? {};
    const [row] = await this.statements.query<ChangesRow>(CHANGES, [
      ...[workspaceId, email, groups, isAdmin],
      ...[seen?.below ?? NO_CHANGES, seen?.open ?? []],
      ...[rest?.afterXid ?? '0', rest?.afterId ?? ''],
      ...[rest?.until.below ?? null, rest?.until.open ?? [], limit, isTest, agents, isAutomation],
    ]);
    const { state, epoch, approvals_open, approvals_mine, snapshot, runs } = row!;
    return {
      state: {
        status: state,
        epoch: Number(epoch),
        approvalsOpen: Number(approvals_open),
        approvalsMine: Number(approvals_mine),
      },
      snapshot,
      runs: runs.map(({ id, agent, status, xid }) => ({ id, agentId: agent, status, xid })),
    };
  }
}

function positionAfter({ state, snapshot, runs }: ReadChanges, position: ChangePosition | undefined): ChangePosition {
  const text = [state.status, state.epoch, state.approvalsOpen, state.approvalsMine].join(' ');
  const until = position?.rest?.until ?? seenIn(snapshot);
  const last = runs.length > PAGE ? runs[PAGE - 1] : undefined;
  if (!position || !last) return { seen: until, state: text };
  return { seen: position.seen, rest: { until, afterXid: last.xid, afterId: last.id }, state: text };
}

function restored(): DomainError {
  return new DomainError(
    'cursor_expired',
    'The database was restored to a state that is older than the cursor. Start again without `since`.',
  );
}

const SNAPSHOT = /^\d+:(\d+):([\d,]*)$/;

function seenIn(snapshot: string): SeenTransactions {
  const [, below, open = ''] = SNAPSHOT.exec(snapshot) ?? [];
  invariant(below !== undefined, 'Postgres writes a snapshot as xmin:xmax:xip_list');
  return { below, open: open === '' ? [] : open.split(',') };
}
