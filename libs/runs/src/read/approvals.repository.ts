import type { PageRequest } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, LessThan, MoreThan, Repository } from 'typeorm';
import { ApprovalEntity } from '../records/approval.entity.js';
import type { ApprovalStatus } from '../records/approval-status.js';

/** Which approvals a list shows; what is not named is not filtered by. */
export interface ApprovalFilter {
  runId?: string;
  statuses?: readonly ApprovalStatus[];
}

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
}
