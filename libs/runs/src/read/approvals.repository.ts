import type { PageRequest } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, LessThan, MoreThan, Repository } from 'typeorm';
import { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalDecision, ApprovalStatus, Decider, DecisionRefusal } from '../records/approval-status.js';

/** Filter of a list of approvals; an absent member does not filter. */
export interface ApprovalFilter {
  runId?: string;
  statuses?: readonly ApprovalStatus[];
}

const REFUSALS = `select a.id, run_machine.may_decide(a, $3, $4, $5, $6) as refusal from approvals a
  where a.workspace_id = $1 and a.id = any ($2)`;

@Injectable()
export class ApprovalsRepository {
  constructor(@InjectRepository(ApprovalEntity) private readonly table: Repository<ApprovalEntity>) {}

  find(workspaceId: string, runId: string, id: string): Promise<ApprovalEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, runId, id }));
  }

  /** Up to `limit + 1` approvals in keyset order of the id. */
  page(workspaceId: string, { runId, statuses }: ApprovalFilter, page: PageRequest): Promise<ApprovalEntity[]> {
    const where: FindOptionsWhere<ApprovalEntity> = { workspaceId };
    if (runId !== undefined) where.runId = runId;
    if (statuses) where.status = In([...statuses]);
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.table.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  /** The approvals of these runs, in the order in which they were asked for. */
  ofRuns(workspaceId: string, runIds: readonly string[]): Promise<ApprovalEntity[]> {
    if (runIds.length === 0) return Promise.resolve([]);
    return orUnavailable(this.table.find({ where: { workspaceId, runId: In([...runIds]) }, order: { id: 'asc' } }));
  }

  /** The error code for each approval that the person may not decide (decision null: in any way), otherwise null. */
  async refusals(
    workspaceId: string,
    ids: readonly string[],
    { email, groups, isAdmin }: Decider,
    decision: ApprovalDecision | null,
  ): Promise<ReadonlyMap<string, DecisionRefusal | null>> {
    if (ids.length === 0) return new Map();
    const rows = await orUnavailable(
      this.table.query<{ id: string; refusal: DecisionRefusal | null }[]>(REFUSALS, [
        workspaceId,
        ids,
        decision,
        email,
        groups,
        isAdmin,
      ]),
    );
    return new Map(rows.map(({ id, refusal }) => [id, refusal]));
  }
}
