import { isId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision, Decider, DecisionRefusal } from '../records/approval-status.js';
import { type ApprovalFilter, ApprovalsRepository } from './approvals.repository.js';
import { RunsRepository } from './runs.repository.js';

/** Reads approvals, also while the workspace is stopped. */
@Injectable()
export class ApprovalQueriesService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly runs: RunsRepository,
  ) {}

  async list(workspaceId: string, filter: ApprovalFilter, page: PageRequest): Promise<Page<ApprovalEntity>> {
    return toPage(await this.approvals.page(workspaceId, filter, page), page.limit);
  }

  /** @throws DomainError `not_found` if the run does not exist */
  async listOfRun(workspaceId: string, runId: string, page: PageRequest): Promise<Page<ApprovalEntity>> {
    if (!isId('run', runId) || !(await this.runs.exists(workspaceId, runId))) throw notFound('run', runId);
    return this.list(workspaceId, { runId }, page);
  }

  /** @throws DomainError `not_found`, also for an approval of another run or workspace */
  async get(workspaceId: string, runId: string, approvalId: string): Promise<ApprovalEntity> {
    const wellFormed = isId('run', runId) && isId('approval', approvalId);
    const approval = wellFormed ? await this.approvals.find(workspaceId, runId, approvalId) : null;
    if (!approval) throw notFound('approval', approvalId);
    return approval;
  }

  /**
   * The error code that the person's decision would be refused with, or null, by id of the approval. Without a
   * decision: whether the person may decide at all. The decision itself checks the same rule again, under the lock of
   * the approval.
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
}
