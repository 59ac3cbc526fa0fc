import { invariant, type ErrorCode, type Page, type PageRequest } from '@app/kernel';
import { type DueWork, orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, MoreThan, Repository } from 'typeorm';
import type { Creation } from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';
import type { StartRefusal } from '../start/run-intake.service.js';
import { creationCall, replayMembers } from '../store/run-store-wire.js';
import { BulkActionEntity } from './bulk-action.entity.js';
import { BulkActionResultEntity } from './bulk-action-result.entity.js';
import type { BulkActionKind } from './bulk-action-status.js';

export interface ClaimedBulkAction {
  id: string;
  workspaceId: string;
  action: BulkActionKind;
  mode: RunMode | null;
  actor: string;
  createdAt: Date;
}

export const MAX_OPEN = 100;

const statement = (operation: string, text: string): Statement => ({ name: `bulk_actions.${operation}`, text });

export const DUE_BULK_ACTIONS: DueWork = {
  name: 'bulk_actions',
  isDue: 'exists (select from bulk_actions b where b.due_at <= statement_timestamp())',
};

const ACCEPT = 'select run_machine.accept_bulk_action($1, $2, $3, $4, $5, $6, $7) as created_at';
const CLAIM = statement(
  'claim',
  `select c.id, c.workspace_id as "workspaceId", c.action, c.mode, c.actor, c.created_at as "createdAt"
    from run_machine.claim_bulk_action($1) c`,
);
const RELEASE = statement('release', 'select run_machine.release_bulk_action($1, $2)');
const CANCEL_RUNS = statement('cancel_runs', 'select run_machine.cancel_bulk_runs($1, $2) as counted');
/** Exported because a test checks its query plan. */
export const PENDING: Statement = statement(
  'pending',
  `select x.run_id as "runId" from bulk_action_results x
    where x.workspace_id = $1 and x.bulk_action_id = $2 and x.status = 'pending' order by x.run_id desc limit $3`,
);
const CREATE_REPLAY = statement('create_replay', 'select run_machine.create_bulk_replay($1) as verdict');
const SETTLE = statement('settle', 'select run_machine.settle_bulk_result($1, $2, $3, null)');
const PURGE = statement('purge', 'select run_machine.purge_bulk_actions($1, $2) as counted');

/** A method that acts on a run records the result of the run in the same commit. */
@Injectable()
export class BulkActionStore {
  constructor(
    @InjectRepository(BulkActionEntity) private readonly actions: Repository<BulkActionEntity>,
    @InjectRepository(BulkActionResultEntity) private readonly results: Repository<BulkActionResultEntity>,
    private readonly statements: Statements,
  ) {}

  /** Returns undefined if the workspace already has {@link MAX_OPEN} open bulk actions. */
  async accept(
    { manager }: Transaction,
    { id, workspaceId, action, mode, actor }: Omit<ClaimedBulkAction, 'createdAt'>,
    runs: readonly string[],
  ): Promise<Date | undefined> {
    const values = [id, workspaceId, action, mode, actor, runs, MAX_OPEN];
    const [row] = await manager.query<{ created_at: Date | null }[]>(ACCEPT, values);
    return row?.created_at ?? undefined;
  }

  find(workspaceId: string, id: string): Promise<BulkActionEntity | null> {
    return orUnavailable(this.actions.findOneBy({ workspaceId, id }));
  }

  async pageOfResults(
    workspaceId: string,
    bulkActionId: string,
    { limit, order, after }: PageRequest,
  ): Promise<Page<BulkActionResultEntity>> {
    const beyond = after !== undefined && { runId: order === 'asc' ? MoreThan(after) : LessThan(after) };
    const where = { workspaceId, bulkActionId, ...beyond };
    const rows = await orUnavailable(this.results.find({ where, order: { runId: order }, take: limit + 1 }));
    const data = rows.slice(0, limit);
    const last = data.at(-1);
    return rows.length > limit && last ? { data, last: last.runId } : { data };
  }

  async claim(leaseMillis: number): Promise<ClaimedBulkAction | undefined> {
    const [row] = await this.statements.query<ClaimedBulkAction>(CLAIM, [leaseMillis]);
    return row;
  }

  /** If the bulk action is not completed, it is due again after `pauseMillis`. */
  async release(id: string, pauseMillis: number): Promise<void> {
    await this.statements.query(RELEASE, [id, pauseMillis]);
  }

  cancelRuns(id: string, limit: number): Promise<number> {
    return this.counted(CANCEL_RUNS, [id, limit]);
  }

  async pendingRuns({ workspaceId, id }: ClaimedBulkAction, limit: number): Promise<string[]> {
    const rows = await this.statements.query<{ runId: string }>(PENDING, [workspaceId, id, limit]);
    return rows.map(({ runId }) => runId);
  }

  async createReplay(id: string, replay: Creation): Promise<'created' | 'settled' | StartRefusal> {
    invariant(replay.replay, 'the new run replays another run');
    const call = { ...creationCall(replay), ...replayMembers(replay.replay, replay.mode), bulk: id };
    const row = await this.statements.callAlone<{ verdict: 'created' | 'settled' | StartRefusal }>(CREATE_REPLAY, call);
    return row!.verdict;
  }

  async failRun(id: string, runId: string, code: ErrorCode): Promise<void> {
    await this.statements.query(SETTLE, [id, runId, code]);
  }

  purge(days: number, limit: number): Promise<number> {
    return this.counted(PURGE, [days, limit]);
  }

  private async counted(operation: Statement, values: unknown[]): Promise<number> {
    const [row] = await this.statements.query<{ counted: number }>(operation, values);
    return row!.counted;
  }
}
