import { idRange, type PageRequest, type SortOrder } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository, type SelectQueryBuilder } from 'typeorm';
import { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision, ApprovalStatus, Decider, DecisionRefusal } from '../records/approval-status.js';
import type { RunMode } from '../records/run-status.js';
import type { ApprovalSort } from './list-filters.js';

export interface ApprovalFilter {
  runId?: string;
  statuses?: readonly ApprovalStatus[];
  agentId?: string;
  agents?: readonly string[];
  decidableBy?: Decider;
  expiresBefore?: Date;
  mode?: RunMode;
  sort?: ApprovalSort;
}

const IS_OPEN = `approval.status = 'open'`;

/** Selects the rows that follow the last row of the previous page, by the sort field and the direction of the list. */
const AFTER = {
  created_at: { asc: 'approval.id > :id', desc: 'approval.id < :id' },
  expires_at: {
    asc: '(approval.expiresAt, approval.id) > (:deadline::timestamptz, :id)',
    desc: '(approval.expiresAt, approval.id) < (:deadline::timestamptz, :id)',
  },
} as const satisfies Record<ApprovalSort, Record<SortOrder, string>>;

/**
 * Selects the approvals that the person may decide and has not approved yet. A decision checks the same rule
 * (`may_decide`).
 */
const IS_MINE = `run_machine.may_decide(approval, null, :email, :groups, :isAdmin) is null
  and not exists (select from jsonb_array_elements(approval.decisions) d where d ->> 'by' = :email)`;

const MODE = `(select r.mode from runs r where r.workspace_id = approval.workspace_id and r.id = approval.run_id)`;

const REFUSALS = `select a.id, coalesce(run_machine.may_decide(a, $3, $4, $5, $6), case
    when $7 and r.mode = 'production' then 'test_key_production_mode' end) as refusal
  from approvals a join runs r on r.workspace_id = a.workspace_id and r.id = a.run_id
  where a.workspace_id = $1 and a.id = any ($2)`;

@Injectable()
export class ApprovalsRepository {
  constructor(@InjectRepository(ApprovalEntity) private readonly table: Repository<ApprovalEntity>) {}

  find(workspaceId: string, runId: string | undefined, id: string): Promise<ApprovalEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, ...(runId !== undefined && { runId }), id }));
  }

  /** Whether the request or the shown values of an approval of these runs name the file. Sealed values name nothing. */
  namesFile(workspaceId: string, runIds: readonly string[], fileId: string): Promise<boolean> {
    const query = this.table
      .createQueryBuilder('approval')
      .where('approval.workspaceId = :workspaceId and approval.runId in (:...runIds)', { workspaceId, runIds })
      .andWhere('(strpos(approval.request::text, :fileId) > 0 or strpos(approval.show::text, :fileId) > 0)', {
        fileId,
      });
    return orUnavailable(query.getExists());
  }

  /** A page begins after a key that {@link keyOf} returns. */
  page(workspaceId: string, filter: ApprovalFilter, page: PageRequest): Promise<ApprovalEntity[]> {
    const { runId, statuses, agentId, agents, decidableBy, expiresBefore, mode, sort = 'created_at' } = filter;
    const query = this.table
      .createQueryBuilder('approval')
      .where('approval.workspaceId = :workspaceId', { workspaceId });
    if (runId !== undefined) query.andWhere('approval.runId = :runId', { runId });
    if (agentId !== undefined) query.andWhere('approval.agentId = :agentId', { agentId });
    if (agents) query.andWhere('approval.agentId = any (:agents)', { agents });
    if (statuses) onlyStatuses(query, statuses);
    if (decidableBy) onlyMine(query, decidableBy);
    if (mode) query.andWhere(`${MODE} = :mode`, { mode });
    if (expiresBefore) query.andWhere('approval.expiresAt < :expiresBefore', { expiresBefore });
    // An approval is opened before its deadline.
    const { beyond } = idRange('approval', { until: expiresBefore });
    if (beyond !== undefined && sort === 'created_at') query.andWhere('approval.id < :beyond', { beyond });
    return orUnavailable(inOrder(query, sort, page).getMany());
  }

  ofRuns(workspaceId: string, runIds: readonly string[]): Promise<ApprovalEntity[]> {
    if (runIds.length === 0) return Promise.resolve([]);
    return orUnavailable(this.table.find({ where: { workspaceId, runId: In([...runIds]) }, order: { id: 'asc' } }));
  }

  async refusals(
    workspaceId: string,
    ids: readonly string[],
    { email, groups, isAdmin, isTest = false, isAutomation = false }: Decider,
    decision: ApprovalDecision | null,
  ): Promise<ReadonlyMap<string, DecisionRefusal | null>> {
    if (isAutomation) return new Map(ids.map((id) => [id, 'automation_key']));
    if (ids.length === 0) return new Map();
    const rows = await orUnavailable(
      this.table.query<{ id: string; refusal: DecisionRefusal | null }[]>(REFUSALS, [
        workspaceId,
        ids,
        decision,
        email,
        groups,
        isAdmin,
        isTest,
      ]),
    );
    return new Map(rows.map(({ id, refusal }) => [id, refusal]));
  }
}

/** The condition on one status, as a text, lets Postgres use the index of open approvals. */
function onlyStatuses(query: SelectQueryBuilder<ApprovalEntity>, statuses: readonly ApprovalStatus[]): void {
  if (statuses.every((status) => status === 'open')) query.andWhere(IS_OPEN);
  else query.andWhere('approval.status in (:...statuses)', { statuses });
}

function onlyMine(query: SelectQueryBuilder<ApprovalEntity>, decider: Decider): void {
  query.andWhere(IS_OPEN).andWhere(IS_MINE, decider);
  if (decider.isAutomation) query.andWhere('false');
  if (decider.isTest) query.andWhere(`${MODE} = 'test'`);
}

/** {@link PageRequest} uses it as the key after which a page begins. */
export function keyOf({ id, expiresAt }: ApprovalEntity, sort: ApprovalSort = 'created_at'): string {
  return sort === 'created_at' ? id : `${expiresAt.toISOString()} ${id}`;
}

function inOrder(
  query: SelectQueryBuilder<ApprovalEntity>,
  sort: ApprovalSort,
  { order, after, limit }: PageRequest,
): SelectQueryBuilder<ApprovalEntity> {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const [id, deadline] = after?.split(' ').reverse() ?? [];
  if (after !== undefined) query.andWhere(AFTER[sort][order], { id, deadline });
  if (sort === 'expires_at') query.orderBy('approval.expiresAt', direction);
  return query.addOrderBy('approval.id', direction).limit(limit + 1);
}
