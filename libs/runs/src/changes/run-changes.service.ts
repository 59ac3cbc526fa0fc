import { DomainError, invariant } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { AgentStatus } from '@app/agents';
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
}

interface ChangedAgent {
  id: string;
  status: AgentStatus;
  latestVersion: number;
  productionVersion: number;
}

interface PresentState {
  status: 'active' | 'stopped';
  epoch: number;
  approvalsOpen: number;
  /** Number of open approvals that the reader may decide and has not approved yet. */
  approvalsMine: number;
  /** Number of them that belong to test runs. */
  approvalsMineTest: number;
}

type ChangesReader = Required<Decider> & { agents: readonly string[] | null; readsAgents: boolean };

type Change = { xid: string } & ({ run: ChangedRun } | { agent: ChangedAgent });

interface ReadChanges {
  state: PresentState;
  snapshot: string;
  changes: readonly Change[];
}

export interface Changes extends PresentState {
  runs: readonly ChangedRun[];
  agents: readonly ChangedAgent[];
  next: ChangePosition;
}

/** The statement returns integers as strings, because they may exceed 2^53. */
interface ChangesRow {
  state: 'active' | 'stopped';
  epoch: string;
  approvals_open: string;
  approvals_mine: string;
  approvals_mine_test: string;
  snapshot: string;
  changes: Change[];
}

const OF_AGENTS = (agent: string) => `($13::text[] is null or ${agent} = any ($13))`;
const IN_ORDER = 'order by c.change_xid, c.id limit $11';
const RUNS = `select c.id, c.change_xid, json_build_object('xid', c.change_xid::text,
    'run', json_build_object('id', c.id, 'agentId', c.agent_id, 'status', c.status)) as change
  from runs c where c.workspace_id = $1 and ${OF_AGENTS('c.agent_id')}`;
const AGENTS = `select c.id, c.change_xid, json_build_object('xid', c.change_xid::text, 'agent', json_build_object(
    'id', c.id, 'status', c.status, 'latestVersion', c.latest_version, 'productionVersion', c.production_version)) as change
  from agents c where c.workspace_id = $1 and $15::boolean and c.draft_until is null and ${OF_AGENTS('c.id')}`;

/** The two parts use the index in its order. Transactions that were open at the previous read are in the second part. */
const changed = (rows: string): string => `
  (${rows} and (c.change_xid, c.id) > ($7::bigint, $8::text) and c.change_xid >= $5::bigint
    and c.change_xid < coalesce($9::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
    and not c.change_xid = any ($10::bigint[]) ${IN_ORDER})
  union all
  (${rows} and (c.change_xid, c.id) > ($7::bigint, $8::text) and c.change_xid = any ($6::bigint[])
    and not c.change_xid = any ($10::bigint[]) ${IN_ORDER})`;

/**
 * Reads the state and the changes in one statement, so that both belong to one snapshot. If $12 is true, the reader
 * decides about test runs only. If $14 is true, the reader decides about nothing. $13 are the agents that exist for the
 * reader, null for all. If $15 is false, the reader reads no agents. On the second and later pages, $9 and $10 are the
 * snapshot of the first page. Transactions outside this snapshot are excluded, so that the series of pages ends. After
 * an older backup was restored, transaction ids are lower than before. The comparison with $9 works in this case too.
 */
export const CHANGES: Statement = {
  name: 'run_changes.read',
  text: `
    select w.state, w.epoch, a.open as approvals_open, a.mine as approvals_mine,
      a.mine_test as approvals_mine_test, pg_current_snapshot()::text as snapshot, l.changes
    from workspaces w
    cross join lateral (
      select count(*) as open, count(m.mode) filter (where not $12::boolean or m.mode = 'test') as mine,
          count(*) filter (where m.mode = 'test') as mine_test
        from approvals o
        cross join lateral (select case when not $14::boolean and run_machine.may_decide(o, null, $2, $3, $4) is null
          and not jsonb_path_exists(o.decisions, '$[*] ? (@.by == $me && (@.decision == "approve" || @.decision == "edit"))',
            jsonb_build_object('me', $2::text))
          then (select r.mode from runs r where r.workspace_id = o.workspace_id and r.id = o.run_id) end as mode offset 0) m
        where o.workspace_id = w.id and o.status = 'open' and ${OF_AGENTS('o.agent_id')}) a
    cross join lateral (
      select coalesce(json_agg(x.change order by x.change_xid, x.id), '[]') as changes from (
        select * from (${changed(RUNS)} union all ${changed(AGENTS)}) c ${IN_ORDER}) x) l
    where w.id = $1`,
};

const NO_CHANGES = '9223372036854775807';

@Injectable()
export class RunChangesService {
  constructor(private readonly statements: Statements) {}

  /**
   * No change is lost, but what changes between two pages may be on both pages. Without `position`, returns the
   * state alone. Returns null if nothing has changed.
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
    if (position && !position.rest && read.changes.length === 0 && next.state === position.state) return null;
    const page = read.changes.slice(0, PAGE);
    const runs = page.flatMap((change) => ('run' in change ? change.run : []));
    const agents = page.flatMap((change) => ('agent' in change ? change.agent : []));
    return { ...read.state, runs, agents, next };
  }

  private async readChanges(
    workspaceId: string,
    { email, groups, isAdmin, isTest, isAutomation, agents, readsAgents }: ChangesReader,
    position: Omit<ChangePosition, 'state'> | undefined,
    limit: number,
  ): Promise<ReadChanges> {
    const { seen, rest } = position ?? {};
    const [row] = await this.statements.query<ChangesRow>(CHANGES, [
      ...[workspaceId, email, groups, isAdmin],
      ...[seen?.below ?? NO_CHANGES, seen?.open ?? []],
      ...[rest?.afterXid ?? '0', rest?.afterId ?? ''],
      ...[rest?.until.below ?? null, rest?.until.open ?? [], limit, isTest, agents, isAutomation, readsAgents],
    ]);
    const { state, epoch, approvals_open, approvals_mine, approvals_mine_test, snapshot, changes } = row!;
    return {
      state: {
        status: state,
        epoch: Number(epoch),
        approvalsOpen: Number(approvals_open),
        approvalsMine: Number(approvals_mine),
        approvalsMineTest: Number(approvals_mine_test),
      },
      snapshot,
      changes,
    };
  }
}

function positionAfter(
  { state, snapshot, changes }: ReadChanges,
  position: ChangePosition | undefined,
): ChangePosition {
  const text = Object.values(state).join(' ');
  const until = position?.rest?.until ?? seenIn(snapshot);
  const last = changes.length > PAGE ? changes[PAGE - 1] : undefined;
  if (!position || !last) return { seen: until, state: text };
  return {
    seen: position.seen,
    rest: { until, afterXid: last.xid, afterId: ('run' in last ? last.run : last.agent).id },
    state: text,
  };
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
