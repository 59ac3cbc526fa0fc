import { idRange, invariant, type PageRequest } from '@app/kernel';
import { orUnavailable, withoutTenantRole } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type SelectQueryBuilder } from 'typeorm';
import { RunEntity } from '../records/run.entity.js';
import type { RunFilter } from './run-filter.js';
import type { RunStatus } from '../records/run-status.js';
import { RunStepEntity } from '../records/run-step.entity.js';

/** Constant text, so that the planner can choose the partial index. */
const OF_STATUS: Readonly<Record<RunStatus, string>> = {
  queued: `run.status = 'queued'`,
  running: `run.status = 'running'`,
  waiting_approval: `run.status = 'waiting_approval'`,
  succeeded: `run.status = 'succeeded'`,
  handed_off: `run.status = 'handed_off'`,
  failed: `run.status = 'failed'`,
  cancelled: `run.status = 'cancelled'`,
};

@Injectable()
export class RunsRepository {
  constructor(
    @InjectRepository(RunEntity) private readonly runs: Repository<RunEntity>,
    @InjectRepository(RunStepEntity) private readonly steps: Repository<RunStepEntity>,
  ) {}

  /**
   * Up to `limit + 1` runs in keyset order of the id; the extra run only shows that more exist. It is one statement,
   * because a run that changes its status between two statements would be in both results or in neither. The statement
   * merges one page for each status: an index has the runs of one status in list order, but not those of several.
   */
  page(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<RunEntity[]> {
    const asked = () => orUnavailable(this.pageQuery(workspaceId, filter, page).getMany());
    return filter.triggerType ? withoutTenantRole(asked) : asked();
  }

  private pageQuery(workspaceId: string, filter: RunFilter, page: PageRequest): SelectQueryBuilder<RunEntity> {
    const [first, ...others] = new Set(filter.statuses);
    const ofFirst = this.pageOfStatus(workspaceId, filter, page, first);
    if (others.length === 0) return ofFirst;
    const ofOthers = others.map((status) => this.pageOfStatus(workspaceId, filter, page, status));
    const pages = [ofFirst, ...ofOthers].map((each) => each.select('run.*').getQuery());
    const query = this.runs.createQueryBuilder('run').setParameters(ofFirst.getParameters());
    const { mainAlias } = query.expressionMap;
    invariant(mainAlias, 'the query of a repository has a main alias');
    mainAlias.subQuery = `((${pages.join(') union all (')}))`;
    return inOrder(query, page);
  }

  private pageOfStatus(
    workspaceId: string,
    filter: RunFilter,
    page: PageRequest,
    status: RunStatus | undefined,
  ): SelectQueryBuilder<RunEntity> {
    const { agentId, triggerType, mode, since, until } = filter;
    const { lowest, beyond } = idRange('run', filter);
    const query = this.runs.createQueryBuilder('run').where('run.workspaceId = :workspaceId', { workspaceId });
    if (status) query.andWhere(OF_STATUS[status]);
    if (agentId !== undefined) query.andWhere('run.agentId = :agentId', { agentId });
    if (triggerType) query.andWhere(`run.trigger ->> 'type' = :triggerType`, { triggerType });
    // Lets the planner use the index of all types except the most frequent one.
    if (triggerType && triggerType !== 'api') query.andWhere(`run.trigger ->> 'type' <> 'api'`);
    if (mode) query.andWhere('run.mode = :mode', { mode });
    if (since) query.andWhere('run.createdAt >= :since and run.id >= :lowest', { since, lowest });
    if (until) query.andWhere('run.createdAt < :until and run.id < :beyond', { until, beyond });
    if (page.after !== undefined) {
      query.andWhere(page.order === 'asc' ? 'run.id > :after' : 'run.id < :after', { after: page.after });
    }
    return inOrder(query, page);
  }

  async find(workspaceId: string, id: string): Promise<RunEntity | null> {
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
  async stepsAfter(workspaceId: string, runId: string, afterN: number): Promise<RunStepEntity[]> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId and step.n > :afterN', {
        workspaceId,
        runId,
        afterN,
      });
    return orUnavailable(query.orderBy('step.n').getMany());
  }

  /** Position where the step at this path was recorded first; for a loop, the position of its first round. */
  async firstPositionOf(workspaceId: string, runId: string, path: string): Promise<number | undefined> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId', { workspaceId, runId })
      .andWhere(`(step.path = :path or starts_with(step.path, :path || '['))`, { path });
    return (await orUnavailable(query.orderBy('step.n').limit(1).getOne()))?.n;
  }
}

function inOrder(query: SelectQueryBuilder<RunEntity>, { order, limit }: PageRequest): SelectQueryBuilder<RunEntity> {
  return query.orderBy('run.id', order === 'asc' ? 'ASC' : 'DESC').limit(limit + 1);
}
