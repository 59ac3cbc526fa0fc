import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type SelectQueryBuilder } from 'typeorm';
import { idRange, invariant, type JsonValue, type PageRequest } from '@app/kernel';
import { orUnavailable, withoutTenantRole } from '@app/platform/database';
import { RunEntity } from '../records/run.entity.js';
import type { RunStatus } from '../records/run-status.js';
import { RunStepEntity } from '../records/run-step.entity.js';
import { comparesJson, isSearch, type RunFilter, type TracePart } from './list-filters.js';

/**
 * There is one index each for the runs of an agent, a version, an initiator, a trigger type and a client of the MCP
 * server, and one for mode `test`.
 */
const LISTED = ['listed_runs', 'listed', 'listed.id = run.id and listed.workspace_id = run.workspaceId'] as const;
const OF_LISTED = [
  'agentId',
  'agents',
  'version',
  'initiator',
  'mode',
  'triggerType',
  'mcpClient',
  'labels',
] as const satisfies (keyof RunFilter)[];
const INDEXED = ['errorCode', 'errorGroup', 'replayOf', 'parent'] as const satisfies (keyof RunFilter)[];
const INDEXED_STATUSES: ReadonlySet<RunStatus | undefined> = new Set<RunStatus>([
  'queued',
  'waiting_approval',
  'handed_off',
  'failed',
  'cancelled',
]);

const OF_VERSIONS = 'select r.* from agent_versions v cross join lateral (';
const VERSIONS_OF_WORKSPACE = ') r where v.workspace_id = :workspaceId';
const VERSIONS_WITH = {
  agentId: 'and v.agent_id = :agentId',
  version: 'and v.version = :version',
  labels: `and v.definition -> 'labels' @> :labels::jsonb`,
} as const;

const CONDITIONS = {
  agentId: 'listed.agent_id = :agentId',
  agents: 'listed.agent_id = any (:agents)',
  version: 'listed.version = :version',
  initiator: 'listed.initiator = :initiator',
  mode: 'listed.mode = :mode',
  triggerType: 'listed.trigger_type = :triggerType',
  mcpClient: 'listed.mcp_client = :mcpClient',
  errorCode: `run.error is not null and run.error ->> 'code' = :errorCode`,
  errorGroup: 'run_machine.error_group(run.error) = :errorGroup',
  replayOf: 'run.replayOf = :replayOf',
  parent: `run.id in (select c.run_id from child_runs c where c.workspace_id = :workspaceId and c.parent_run_id = :parent)`,
  ids: 'run.id = any (:ids)',
} as const satisfies Partial<Record<keyof RunFilter, string>>;

/** They contain the status as a constant, so that the planner can choose the partial index. */
const OF_STATUS: Readonly<Record<RunStatus, string>> = {
  queued: `run.status = 'queued'`,
  running: `run.status = 'running'`,
  waiting_approval: `run.status = 'waiting_approval'`,
  succeeded: `run.status = 'succeeded'`,
  handed_off: `run.status = 'handed_off'`,
  failed: `run.status = 'failed'`,
  cancelled: `run.status = 'cancelled'`,
};

const WITHIN_IDS = {
  run: { since: 'run.id >= :lowest', until: 'run.id < :beyond', asc: 'run.id > :after', desc: 'run.id < :after' },
  listed: {
    since: 'listed.id >= :lowest',
    until: 'listed.id < :beyond',
    asc: 'listed.id > :after',
    desc: 'listed.id < :after',
  },
} as const;

/** Maximum number of runs whose values a page of a search reads. */
const SEARCHED_RUNS = 2_000;
/** Larger values are not read, so that the cost of a page has a limit. */
const MAX_SEARCHED_BYTES = 65_536;
const CONTAINS = ['error', 'input', 'output']
  .map(
    (column) => `(pg_column_size(run.${column}) <= ${MAX_SEARCHED_BYTES}
    and run_machine.shown_value(run.${column})::text ilike :searchedText)`,
  )
  .join(' or ');
const WITHIN_LIMITS = {
  minDurationMs: 'run.ended_at is not null and run.active_ms >= :minDurationMs',
  maxDurationMs: 'run.ended_at is not null and run.active_ms <= :maxDurationMs',
  minCostMicros: 'run.cost_micros >= :minCostMicros',
  maxCostMicros: 'run.cost_micros <= :maxCostMicros',
} as const satisfies Partial<Record<keyof RunFilter, string>>;

const OUTPUTS = `case when step.type not in ('tool_call', 'model_call') then step.output end`;
const OUTPUTS_AND_RESPONSES = `case when step.type <> 'model_call' then step.output end`;

@Injectable()
export class RunsRepository {
  constructor(
    @InjectRepository(RunEntity) private readonly runs: Repository<RunEntity>,
    @InjectRepository(RunStepEntity) private readonly steps: Repository<RunStepEntity>,
  ) {}

  /**
   * One statement reads the page. If two statements read it, a run that changes its status between them could be in
   * both results or in neither. The statement merges one page for each status, because each index contains the runs of
   * only one status in the order of the list. If the filter has labels, or a version without an agent, the statement
   * also merges one page for each version.
   */
  page(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<RunEntity[]> {
    const asked = () => orUnavailable(this.pageQuery(workspaceId, filter, page).getMany());
    return comparesJson(filter) ? withoutTenantRole(asked) : asked();
  }

  /** Used for pages whose runs would need too much memory. */
  async idsOfPage(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<string[]> {
    const query = this.pageQuery(workspaceId, filter, page).select('run.id', 'id');
    const asked = () => orUnavailable(query.getRawMany<{ id: string }>());
    const rows = await (comparesJson(filter) ? withoutTenantRole(asked) : asked());
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the last run that the search of this page has read, or undefined if it has read all runs that match
   * the other filters.
   */
  async lastSearched(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<string | undefined> {
    const query = this.searched(workspaceId, filter, page)
      .select('run.id', 'id')
      .offset(SEARCHED_RUNS - 1)
      .limit(1);
    const asked = () => orUnavailable(query.getRawMany<{ id: string }>());
    const [row] = await (comparesJson(filter) ? withoutTenantRole(asked) : asked());
    return row?.id;
  }

  private pageQuery(workspaceId: string, filter: RunFilter, page: PageRequest): SelectQueryBuilder<RunEntity> {
    if (!isSearch(filter)) return this.filteredQuery(workspaceId, filter, page);
    const searched = this.searched(workspaceId, filter, page);
    const query = this.runs.createQueryBuilder('run').setParameters(searched.getParameters());
    from(query, textOf(searched));
    if (filter.text !== undefined) query.andWhere(`(${CONTAINS})`, { searchedText: `%${pattern(filter.text)}%` });
    for (const [name, condition] of Object.entries(WITHIN_LIMITS)) {
      const limit = filter[name as keyof typeof WITHIN_LIMITS];
      if (limit !== undefined) query.andWhere(condition, { [name]: String(limit) });
    }
    return inOrder(query, page);
  }

  private searched(workspaceId: string, filter: RunFilter, page: PageRequest): SelectQueryBuilder<RunEntity> {
    return this.filteredQuery(workspaceId, filter, { ...page, limit: SEARCHED_RUNS - 1 });
  }

  private filteredQuery(workspaceId: string, filter: RunFilter, page: PageRequest): SelectQueryBuilder<RunEntity> {
    const [first, ...others] = new Set(filter.statuses);
    const ofFirst = this.pageOfStatus(workspaceId, filter, page, first);
    const isOfVersions = filter.labels !== undefined || (filter.version !== undefined && filter.agentId === undefined);
    if (others.length === 0 && !isOfVersions) return ofFirst;
    const ofOthers = others.map((status) => this.pageOfStatus(workspaceId, filter, page, status));
    const pages = [ofFirst, ...ofOthers].map((each) => (isOfVersions ? ofVersions(each, filter) : textOf(each)));
    const { labels, version } = filter;
    const parameters = { ...ofFirst.getParameters(), version, labels: labels && JSON.stringify(labels) };
    const query = this.runs.createQueryBuilder('run').setParameters(parameters);
    from(query, `(${pages.join(') union all (')})`);
    return inOrder(query, page);
  }

  private pageOfStatus(
    workspaceId: string,
    filter: RunFilter,
    page: PageRequest,
    status: RunStatus | undefined,
  ): SelectQueryBuilder<RunEntity> {
    const query = this.runs.createQueryBuilder('run').where('run.workspaceId = :workspaceId', { workspaceId });
    if (status) query.andWhere(OF_STATUS[status]);
    for (const [name, condition] of Object.entries(CONDITIONS)) {
      const value = filter[name as keyof typeof CONDITIONS];
      if (value !== undefined) query.andWhere(condition, { [name]: value });
    }
    // With this condition, the planner can use the index that omits `api`, the most frequent trigger type.
    if (filter.triggerType && filter.triggerType !== 'api') query.andWhere(`listed.trigger_type <> 'api'`);
    if (filter.since) query.andWhere('run.createdAt >= :since', { since: filter.since });
    if (filter.until) query.andWhere('run.createdAt < :until', { until: filter.until });
    const isIndexed = INDEXED_STATUSES.has(status) || INDEXED.some((name) => filter[name] !== undefined);
    const isListed = !isIndexed || OF_LISTED.some((name) => filter[name] !== undefined);
    if (isListed) query.innerJoin(...LISTED).andWhere('listed.workspace_id = :workspaceId');
    withinIds(query, WITHIN_IDS.run, filter, page);
    // The limits of the ids are applied to `listed_runs` too, because the query plan may begin with an index of either
    // table.
    if (isListed) withinIds(query, WITHIN_IDS.listed, filter, page);
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

  /** Returns the bytes that the requests and outputs of the trace occupy in the database. */
  async storedBytes(workspaceId: string, runId: string): Promise<number> {
    const query = this.steps
      .createQueryBuilder('step')
      .select(
        'coalesce(sum(coalesce(pg_column_size(step.output), 0) + coalesce(pg_column_size(step.request), 0)), 0)',
        'bytes',
      )
      .where('step.workspaceId = :workspaceId and step.runId = :runId', { workspaceId, runId });
    return Number((await orUnavailable(query.getRawOne<{ bytes: string }>()))?.bytes ?? 0);
  }

  /** Omits the outputs of calls, because they can be large. For a summary, also omits the requests. */
  async shownSteps(
    workspaceId: string,
    runId: string,
    { afterN, limit, summary, responses }: TracePart,
  ): Promise<RunStepEntity[]> {
    const { columns } = this.steps.metadata;
    const left = new Set(summary ? ['output', 'request'] : ['output']);
    const query = this.steps
      .createQueryBuilder('step')
      .select(columns.filter((column) => !left.has(column.propertyName)).map((column) => `step.${column.propertyName}`))
      .addSelect(responses ? OUTPUTS_AND_RESPONSES : OUTPUTS, 'shown_output')
      .where('step.workspaceId = :workspaceId and step.runId = :runId and step.n > :afterN', {
        workspaceId,
        runId,
        afterN,
      })
      .orderBy('step.n')
      .limit(limit === undefined ? undefined : limit + 1);
    const { entities, raw } = await orUnavailable(query.getRawAndEntities<{ shown_output: JsonValue }>());
    for (const [index, step] of entities.entries()) step.output = raw[index]?.shown_output ?? null;
    return entities;
  }

  /** The position may be inside the step, for example in the first round of a loop. */
  async firstPositionOf(workspaceId: string, runId: string, paths: string[]): Promise<number | undefined> {
    const query = this.steps
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = :runId', { workspaceId, runId })
      .andWhere(
        `exists (select from unnest(:paths::text[]) as p where step.path = p
          or starts_with(step.path, p || '[') or starts_with(step.path, p || '.'))`,
        { paths },
      );
    return (await orUnavailable(query.orderBy('step.n').limit(1).getOne()))?.n;
  }

  async pathAt(workspaceId: string, runId: string, n: number): Promise<string | undefined> {
    const found = await orUnavailable(this.steps.findOne({ select: { path: true }, where: { workspaceId, runId, n } }));
    return found?.path;
  }
}

function from(query: SelectQueryBuilder<RunEntity>, text: string): void {
  const { mainAlias } = query.expressionMap;
  invariant(mainAlias, 'the query of a repository has a main alias');
  mainAlias.subQuery = `(${text})`;
}

/** Returns the pattern of `ilike` for a text as it is in JSON. */
function pattern(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, String.raw`\$&`);
}

function withinIds(
  query: SelectQueryBuilder<RunEntity>,
  within: (typeof WITHIN_IDS)['run' | 'listed'],
  filter: RunFilter,
  { order, after }: PageRequest,
): void {
  const { lowest, beyond } = idRange('run', filter);
  if (filter.since) query.andWhere(within.since, { lowest });
  if (filter.until) query.andWhere(within.until, { beyond });
  if (after !== undefined) query.andWhere(within[order], { after });
}

function textOf(query: SelectQueryBuilder<RunEntity>): string {
  return query.select('run.*').getQuery();
}

function ofVersions(query: SelectQueryBuilder<RunEntity>, filter: RunFilter): string {
  const ofOne = textOf(query.andWhere('listed.agent_id = v.agent_id and listed.version = v.version'));
  const names = (['agentId', 'version', 'labels'] as const).filter((name) => filter[name] !== undefined);
  return [OF_VERSIONS, ofOne, VERSIONS_OF_WORKSPACE, ...names.map((name) => VERSIONS_WITH[name])].join(' ');
}

function inOrder(query: SelectQueryBuilder<RunEntity>, { order, limit }: PageRequest): SelectQueryBuilder<RunEntity> {
  return query.orderBy('run.id', order === 'asc' ? 'ASC' : 'DESC').limit(limit + 1);
}
