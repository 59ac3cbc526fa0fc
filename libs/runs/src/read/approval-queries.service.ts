import { isId, notFound, type Page, type PageRequest } from '@app/kernel';
import { agentsOf, GroupsService, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision, Decider, DecisionRefusal } from '../records/approval-status.js';
import { type ApprovalFilter, ApprovalsRepository, keyOf } from './approvals.repository.js';
import { RunsRepository } from './runs.repository.js';

/** `refusal` is the error code that a decision by this person would get, or null if the person may decide. */
export type DecidableApproval = ApprovalEntity & { refusal: DecisionRefusal | null };

export interface ApprovalQuestion extends Omit<ApprovalFilter, 'decidableBy' | 'runId' | 'agents'> {
  /** Selects only open approvals that the person may decide and has not approved yet. */
  mine?: boolean;
}

/** This also works while the workspace is stopped. */
@Injectable()
export class ApprovalQueriesService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly runs: RunsRepository,
    private readonly groups: GroupsService,
  ) {}

  /** Whether reading the approvals of these runs shows the file to the caller. */
  async showsFile({ workspaceId, scopes }: Principal, runIds: readonly string[], fileId: string): Promise<boolean> {
    if (runIds.length === 0 || !scopes.has('approvals:read')) return false;
    return this.approvals.namesFile(workspaceId, runIds, fileId);
  }

  async list(
    principal: Principal,
    { mine = false, ...filter }: ApprovalQuestion,
    page: PageRequest,
  ): Promise<Page<DecidableApproval>> {
    const decider = await this.deciderOf(principal);
    const agents = agentsOf(principal);
    return this.page(
      principal,
      decider,
      { ...filter, ...(agents && { agents }), ...(mine && { decidableBy: decider }) },
      page,
    );
  }

  async listOfRun(principal: Principal, runId: string, page: PageRequest): Promise<Page<DecidableApproval>> {
    const { workspaceId } = principal;
    if (!isId('run', runId) || !(await this.runs.exists(workspaceId, runId))) throw notFound('run', runId);
    return this.page(principal, await this.deciderOf(principal), { runId }, page);
  }

  /** @throws DomainError `not_found`, as {@link get} */
  async getFor(principal: Principal, approvalId: string, runId?: string): Promise<DecidableApproval> {
    const approval = await this.find(principal.workspaceId, approvalId, runId);
    return this.decidable(principal.workspaceId, approval, await this.deciderOf(principal));
  }

  /** @throws DomainError `not_found`, also for an approval of another run or workspace */
  async get(workspaceId: string, runId: string, approvalId: string): Promise<ApprovalEntity> {
    return this.find(workspaceId, approvalId, runId);
  }

  async deciderOf({ workspaceId, memberId, email, role, kind, limits }: Principal): Promise<Required<Decider>> {
    const groups = await this.groups.ofMember(workspaceId, memberId);
    return {
      email,
      groups,
      isAdmin: role === 'admin',
      isTest: kind === 'test',
      isAutomation: limits?.isAutomation ?? false,
    };
  }

  async decidable(workspaceId: string, approval: ApprovalEntity, decider: Decider): Promise<DecidableApproval> {
    const refusals = await this.refusals(workspaceId, [approval], decider);
    return withRefusal(approval, refusals);
  }

  /**
   * Without `decision`, checks whether the person may make any decision. When a decision is recorded, record_decision
   * checks the same rule again, under the lock of the approval.
   */
  refusals(
    workspaceId: string,
    approvals: readonly ApprovalEntity[],
    decider: Decider,
    decision: ApprovalDecision | null = null,
  ): Promise<ReadonlyMap<string, DecisionRefusal | null>> {
    const ids = approvals.map(({ id }) => id);
    return this.approvals.refusals(workspaceId, ids, decider, decision);
  }

  private async page(
    { workspaceId }: Principal,
    decider: Decider,
    filter: ApprovalFilter,
    page: PageRequest,
  ): Promise<Page<DecidableApproval>> {
    const rows = await this.approvals.page(workspaceId, filter, page);
    const shown = rows.slice(0, page.limit);
    const refusals = await this.refusals(workspaceId, shown, decider);
    const data = shown.map((approval) => withRefusal(approval, refusals));
    const last = rows.length > page.limit ? shown.at(-1) : undefined;
    return { data, ...(last && { last: keyOf(last, filter.sort) }) };
  }

  private async find(workspaceId: string, approvalId: string, runId: string | undefined): Promise<ApprovalEntity> {
    const wellFormed = (runId === undefined || isId('run', runId)) && isId('approval', approvalId);
    const approval = wellFormed ? await this.approvals.find(workspaceId, runId, approvalId) : null;
    if (!approval) throw notFound('approval', approvalId);
    return approval;
  }
}

function withRefusal(
  approval: ApprovalEntity,
  refusals: ReadonlyMap<string, DecisionRefusal | null>,
): DecidableApproval {
  return Object.assign(approval, { refusal: refusals.get(approval.id) ?? null });
}
