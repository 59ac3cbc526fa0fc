import type { PageRequest } from '@app/kernel';
import { databaseFailure } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Run } from './run.entity.js';
import type { RunFilter } from './run-filter.js';
import { RunStep } from './run-step.entity.js';

@Injectable()
export class RunsRepository {
  constructor(
    @InjectRepository(Run) private readonly runs: Repository<Run>,
    @InjectRepository(RunStep) private readonly steps: Repository<RunStep>,
  ) {}

  /** Up to `limit + 1` runs in keyset order of the id: the extra one only proves that more exist. */
  async page(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Run[]> {
    const query = this.runs.createQueryBuilder('run').where('run.workspaceId = :workspaceId', { workspaceId });
    if (filter.agentId !== undefined) query.andWhere('run.agentId = :agentId', { agentId: filter.agentId });
    if (filter.statuses) query.andWhere('run.status in (:...statuses)', { statuses: filter.statuses });
    if (filter.triggerType)
      query.andWhere(`run.trigger ->> 'type' = :triggerType`, { triggerType: filter.triggerType });
    if (filter.mode) query.andWhere('run.mode = :mode', { mode: filter.mode });
    if (filter.since) query.andWhere('run.createdAt >= :since', { since: filter.since });
    if (filter.until) query.andWhere('run.createdAt < :until', { until: filter.until });
    if (page.after !== undefined) {
      query.andWhere(page.order === 'asc' ? 'run.id > :after' : 'run.id < :after', { after: page.after });
    }
    return this.answer(
      query
        .orderBy('run.id', page.order === 'asc' ? 'ASC' : 'DESC')
        .limit(page.limit + 1)
        .getMany(),
    );
  }

  async find(workspaceId: string, id: string): Promise<Run | null> {
    const query = this.runs
      .createQueryBuilder('run')
      .where('run.workspaceId = :workspaceId and run.id = :id', { workspaceId, id });
    return this.answer(query.getOne());
  }

  exists(workspaceId: string, id: string): Promise<boolean> {
    const query = this.runs
      .createQueryBuilder('run')
      .where('run.workspaceId = :workspaceId and run.id = :id', { workspaceId, id });
    return this.answer(query.getExists());
  }

  /** The recorded steps after position `afterN`, in order. */
  async stepsAfter(workspaceId: string, runId: string, afterN: number): Promise<RunStep[]> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId and step.n > :afterN', {
        workspaceId,
        runId,
        afterN,
      });
    return this.answer(query.orderBy('step.n').getMany());
  }

  /** Where the step at this path was recorded first, or the first round of it where it is a loop. */
  async firstPositionOf(workspaceId: string, runId: string, path: string): Promise<number | undefined> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId', { workspaceId, runId })
      .andWhere(`(step.path = :path or starts_with(step.path, :path || '['))`, { path });
    return (await this.answer(query.orderBy('step.n').limit(1).getOne()))?.n;
  }

  private async answer<T>(query: Promise<T>): Promise<T> {
    try {
      return await query;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
