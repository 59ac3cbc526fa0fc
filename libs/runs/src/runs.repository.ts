import { idRange, type PageRequest } from '@app/kernel';
import { orUnavailable, withoutBelt } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Run } from './run.entity.js';
import type { RunFilter } from './run-filter.js';
import type { RunStatus } from './run-status.js';
import { RunStep } from './run-step.entity.js';

@Injectable()
export class RunsRepository {
  constructor(
    @InjectRepository(Run) private readonly runs: Repository<Run>,
    @InjectRepository(RunStep) private readonly steps: Repository<RunStep>,
  ) {}

  /**
   * Up to `limit + 1` runs in keyset order of the id: the extra one only proves that more exist. One round trip for each of
   * the statuses, side by side: an index has the runs of one status in the order of the list, but not those of several.
   */
  async page(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Run[]> {
    const statuses = filter.statuses ? [...new Set(filter.statuses)] : [undefined];
    const pages = await Promise.all(statuses.map((status) => this.pageOf(workspaceId, { ...filter, status }, page)));
    const runs = pages.flat();
    if (pages.length > 1) runs.sort((a, b) => (a.id < b.id === (page.order === 'asc') ? -1 : 1));
    return runs.slice(0, page.limit + 1);
  }

  private pageOf(workspaceId: string, filter: RunFilter & { status?: RunStatus }, page: PageRequest): Promise<Run[]> {
    const { status, agentId, triggerType, mode, since, until } = filter;
    const { lowest, beyond } = idRange('run', filter);
    const query = this.runs.createQueryBuilder('run').where('run.workspaceId = :workspaceId', { workspaceId });
    if (status) query.andWhere('run.status = :status', { status });
    if (agentId !== undefined) query.andWhere('run.agentId = :agentId', { agentId });
    if (triggerType) query.andWhere(`run.trigger ->> 'type' = :triggerType`, { triggerType });
    // Said to the planner, who has an index of all types that are not the most frequent one.
    if (triggerType && triggerType !== 'api') query.andWhere(`run.trigger ->> 'type' <> 'api'`);
    if (mode) query.andWhere('run.mode = :mode', { mode });
    if (since) query.andWhere('run.createdAt >= :since and run.id >= :lowest', { since, lowest });
    if (until) query.andWhere('run.createdAt < :until and run.id < :beyond', { until, beyond });
    if (page.after !== undefined) {
      query.andWhere(page.order === 'asc' ? 'run.id > :after' : 'run.id < :after', { after: page.after });
    }
    query.orderBy('run.id', page.order === 'asc' ? 'ASC' : 'DESC').limit(page.limit + 1);
    const asked = () => orUnavailable(query.getMany());
    return triggerType ? withoutBelt(asked) : asked();
  }

  async find(workspaceId: string, id: string): Promise<Run | null> {
    const query = this.runs
      .createQueryBuilder('run')
      .where('run.workspaceId = :workspaceId and run.id = :id', { workspaceId, id });
    return orUnavailable(query.getOne());
  }

  exists(workspaceId: string, id: string): Promise<boolean> {
    const query = this.runs
      .createQueryBuilder('run')
      .where('run.workspaceId = :workspaceId and run.id = :id', { workspaceId, id });
    return orUnavailable(query.getExists());
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
    return orUnavailable(query.orderBy('step.n').getMany());
  }

  /** Where the step at this path was recorded first, or the first round of it where it is a loop. */
  async firstPositionOf(workspaceId: string, runId: string, path: string): Promise<number | undefined> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId', { workspaceId, runId })
      .andWhere(`(step.path = :path or starts_with(step.path, :path || '['))`, { path });
    return (await orUnavailable(query.orderBy('step.n').limit(1).getOne()))?.n;
  }
}
